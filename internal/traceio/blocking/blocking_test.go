package blocking

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/trace"
)

// match returns how calls of a function block and which of their arguments name the objects.
func match(r *Rules, function string) (kind trace.BlockKind, args []int, ok bool) {
	to := r.rule(function)
	if to == nil || to.kind == 0 {
		return 0, nil, false
	}
	args = to.args
	if to.fd > 0 {
		args = append(args[:len(args):len(args)], to.fd)
	}
	return to.kind, args, true
}

// objects returns the arguments at the given positions, from 1, of argument text.
func objects(text string, args []int) []string {
	var r reading
	r.read([]byte(text))
	var out []string
	for _, n := range args {
		if name := r.object(n); len(name) > 0 {
			out = append(out, string(name))
		}
	}
	return out
}

func TestMatch(t *testing.T) {
	rules := Builtin()
	for _, c := range []struct {
		function string
		kind     trace.BlockKind
		args     []int
	}{
		{"pthread_mutex_lock", trace.Wait, []int{1}},
		{"__pthread_mutex_lock", trace.Wait, []int{1}},
		{"__GI___pthread_mutex_unlock", trace.Release, []int{1}},
		{"pthread_mutex_lock@plt", trace.Wait, []int{1}},
		{"pthread_mutex_lock@@GLIBC_2.2.5", trace.Wait, []int{1}},
		{"pthread_mutex_timedlock", trace.Wait, []int{1}},
		{"pthread_rwlock_wrlock", trace.Wait, []int{1}},
		{"pthread_rwlock_unlock", trace.Release, []int{1}},
		{"pthread_cond_wait", trace.Wait, []int{1, 2}},
		{"pthread_cond_timedwait", trace.Wait, []int{1, 2}},
		{"pthread_cond_broadcast", trace.Release, []int{1}},
		{"pthread_join", trace.Wait, []int{1}},
		{"sem_post", trace.Release, []int{1}},
		{"sem_timedwait", trace.Wait, []int{1}},
		{"read", trace.IO, []int{1}},
		{"__libc_read", trace.IO, []int{1}},
		{"pwrite64", trace.IO, []int{1}},
		{"writev", trace.IO, []int{1}},
		{"openat", trace.IO, []int{2}},
		{"fopen64", trace.IO, []int{1}},
		{"fread", trace.IO, []int{4}},
		{"fclose", trace.IO, []int{1}},
		{"epoll_wait", trace.Wait, []int{1}},
		{"usleep", trace.Wait, nil},
		{"std::mutex::lock", trace.Wait, []int{1}},
		{"std::mutex::lock()", trace.Wait, []int{1}},
		{"std::condition_variable_any::wait<std::unique_lock<std::mutex> >(std::unique_lock<std::mutex>&)", trace.Wait, []int{1}},
		{"sync.(*Mutex).Lock", trace.Wait, nil},
		{"sync.(*WaitGroup).Done", trace.Release, nil},
		{"java.lang.Object.notifyAll", trace.Release, nil},
		{"System.Threading.Monitor.Enter", trace.Wait, nil},
		{"MPI_Recv", trace.Wait, nil},
		{"PMPI_Isend", trace.Release, nil},
		{"MPI_File_write_at", trace.IO, nil},
	} {
		kind, args, ok := match(rules, c.function)
		if !ok || kind != c.kind || !slices.Equal(args, c.args) {
			t.Errorf("match(%q) = %v %v %v, want %v %v", c.function, kind, args, ok, c.kind, c.args)
		}
	}
	for _, f := range []string{"", "main", "pthread_create", "pthread_mutex_init", "reader", "pread_all", "spread",
		"my::mutex::lock", "MPI_Init", "readdir", "close_all", "linux:schedule"} {
		if kind, _, ok := match(rules, f); ok {
			t.Errorf("match(%q) = %v, want none", f, kind)
		}
	}
}

// Every line of the table is well formed and decides something.
func TestBuiltinTable(t *testing.T) {
	r := &Rules{names: map[string]*rule{}, asked: map[string]*rule{}}
	if err := r.Read(strings.NewReader(builtin), "builtin.rules"); err != nil {
		t.Fatal(err)
	}
	for name, to := range r.names {
		if to.kind == 0 {
			t.Errorf("%s has no kind", name)
		}
	}
}

// A name or a category says that a slice waits by its words; a rule knows better.
func TestAwaits(t *testing.T) {
	rules := Builtin()
	if err := rules.Read(strings.NewReader("none WaitHandler::run\nio lock_file"), "r"); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, category string
		want           bool
	}{
		{"wait for message", "", true}, {"WaitForFrame", "", true}, {"sem_wait", "", true},
		{"cudaStreamSynchronize", "", true}, {"get", "wait", true}, {"get", "job,blocked", true},
		{"Mutex::AcquireSlow", "", true}, {"HTTPAwait", "", true}, {"thread.join", "", true},
		{"get", "job", false}, {"ThreadControllerImpl::RunTask", "toplevel", false},
		{"LayoutBlockFlow", "blink", false}, {"Blocklist", "", false}, {"clock", "", false},
		{"Kuwait", "", false}, {"WaitHandler::run", "", false}, {"lock_file", "", false},
		{"Receive mojo message", "mojom", false}, {"", "", false},
	} {
		if got := rules.Awaits(&trace.Function{Name: c.name, Package: c.category}); got != c.want {
			t.Errorf("%q of category %q: %v", c.name, c.category, got)
		}
	}
}

func TestRead(t *testing.T) {
	rules := Builtin()
	err := rules.Read(strings.NewReader(`
# ours
wait    acquire lease args 2
release /lease_(drop|expire)/ args 1,3
none    usleep
io      get_block fd 1
wait    end  of frame
wait    closing process releases 2,3  signal any
`), "ours.rules")
	if err != nil {
		t.Fatal(err)
	}
	for function, want := range map[string]string{
		"acquire lease": "wait [2] true", "lease_expire": "release [1 3] true",
		"usleep": "none [] false", "get_block": "io [1] true",
		"end  of frame": "wait [] true", "closing process": "wait [] true",
	} {
		kind, args, ok := match(rules, function)
		if got := fmt.Sprint(kind, " ", args, " ", ok); got != want {
			t.Errorf("match(%q) = %s, want %s", function, got, want)
		}
	}
	for text, want := range map[string]string{
		"wait a\nwiat b": `r:2: "wiat" is not wait, release, io or none`,
		"wait":           "r:1: the name is missing",
		"wait a args x":  `r:1: "x" is not the number of an argument`,
		"wait a args 0":  `r:1: "0" is not the number of an argument`,
		"wait a args":    `r:1: args without a number`,
		"wait /a/ args":  "r:1: args without a number",
		"wait /a/ with 1": `r:1: "with" is none of ` +
			"args, closes, fd, forks, gives, of, opens, pipe, process, releases, signal, takes",
		"wait /a/ signal self": `r:1: "self" is not the number of an argument`,
		"wait /a/ pipe 1,2":    `r:1: "1,2" is not the number of an argument`,
		"wait /a":              "r:1: expression /a has no closing /",
		"wait /(/":             "r:1: expression /(/: error parsing regexp: missing closing ): `^(?:()$`",
		"\n\nio f fd 1,2\n":    `r:3: "1,2" is not the number of an argument`,
	} {
		if err := Builtin().Read(strings.NewReader(text), "r"); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

func TestObjects(t *testing.T) {
	for _, c := range []struct {
		text string
		args []int
		want []string
	}{
		{"(0x7ffd, 3)", []int{1}, []string{"0x7ffd"}},
		{"(0x7ffd, 3) = 0", []int{2, 1}, []string{"3", "0x7ffd"}},
		{`("a, \"b\").txt", 0x241) = 4`, []int{1, 2}, []string{`a, "b").txt`, "0x241"}},
		{`("c:\\dir", ',', x{...}, (1, 2))`, []int{1, 2, 3, 4}, []string{`c:\dir`, "','", "x{...}", "(1, 2)"}},
		{"(&lock)", []int{1}, []string{"&lock"}},
		{"(0, NULL, 0x1)", []int{1, 2, 3}, []string{"0x1"}},
		{"(0x1)", []int{2}, nil},
		{"()", []int{1}, nil},
		{"", []int{1}, nil},
		{"= 3", []int{1}, nil},
		{"(0x1, 0x2", []int{2}, []string{"0x2"}},
		{`{"arguments":"(0x55, 3)","retval":"0"}`, []int{1}, []string{"0x55"}},
		{`{"n":[1,{"a":2}],"arguments":"(\"x.log\", 1)"} {"retval":"3"}`, []int{1}, []string{"x.log"}},
		{`{"lock":"0x55"}`, []int{1}, nil},
		{`{"arguments":`, []int{1}, nil},
		{`("caf\xE9")`, []int{1}, []string{`caf\xE9`}}, // as the Builder escapes
		{`{"arguments":"(\"caf\xE9\", \"\xC3\u00e9\")"}`, []int{1, 2}, []string{`caf\xE9`, `\xC3é`}},
	} {
		if got := objects(c.text, c.args); !slices.Equal(got, c.want) {
			t.Errorf("objects(%q, %v) = %q, want %q", c.text, c.args, got, c.want)
		}
	}
}

// What is joined by commas and quoted comes apart again.
func TestObjectsComeApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(rapid.StringMatching(`[a-z(){},"\\= ]{1,8}`), 1, 5).Draw(t, "strings")
		var quoted []string
		var all []int
		for i, s := range want {
			s = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s)
			quoted = append(quoted, `"`+s+`"`)
			all = append(all, i+1)
		}
		text := "(" + strings.Join(quoted, ", ") + ") = 0"
		if got := objects(text, all); !slices.Equal(got, want) {
			t.Fatalf("objects(%q) = %q, want %q", text, got, want)
		}
	})
}

// TestPlainObjects holds that the fast way through argument objects comes to what JSON says.
func TestPlainObjects(t *testing.T) {
	piece := rapid.SampledFrom([]string{"{", "}", "} {", `"arguments"`, `"retval"`, `"a"`, ":", ",", `"(0x1, 2)"`,
		`"0"`, `"\"x"`, "\"\xe9\"", `"{"`, "1", " ", `{"arguments":"(1)"`, `,"retval":"2"`, `"`})
	rapid.Check(t, func(t *rapid.T) {
		text := "{" + strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		if rapid.Bool().Draw(t, "closed") {
			text += "}"
		}
		var got, want reading
		if !got.readPlain([]byte(text)) {
			return
		}
		want.readAnyJSON([]byte(text))
		if !slices.EqualFunc(got.args, want.args, bytes.Equal) || !bytes.Equal(got.result, want.result) {
			t.Fatalf("%q: %q = %q, want %q = %q", text, got.args, got.result, want.args, want.result)
		}
	})
}

// FuzzObjects reads any argument text: what the fast way reads of JSON is what a JSON decoder does,
// and objects without backslashes are pieces of an argument.
func FuzzObjects(f *testing.F) {
	seeds.Add(f)
	f.Add(`(0x1, "a\"", 'c', {..}) = 0`)
	f.Add(`{"arguments":"(1)","retval":"0"} {}`)
	f.Add(`{"retval":"1","arguments":"(a, b) = 2"} {"retval":"3"}`)
	f.Add(`{"arguments":"(\u0041)","retval":"\\"}`)
	f.Fuzz(func(t *testing.T, text string) {
		var fast, slow reading
		if fast.readPlain([]byte(text)) {
			slow.readAnyJSON([]byte(text))
			if !slices.EqualFunc(fast.args, slow.args, bytes.Equal) || !bytes.Equal(fast.result, slow.result) {
				t.Errorf("%q %q, want %q %q", fast.args, fast.result, slow.args, slow.result)
			}
		}
		var r reading
		r.read([]byte(text))
		for n, arg := range r.args {
			if o := r.object(n + 1); !bytes.Contains(arg, []byte(`\`)) && !bytes.Contains(arg, o) {
				t.Errorf("%q of %q", o, arg)
			}
		}
	})
}

// FuzzRules reads files of rules, and holds names against those that are accepted.
func FuzzRules(f *testing.F) {
	seeds.Add(f)
	f.Add("wait    sem_wait  args 1\n# comment\nrelease /^my_.*unlock$/ args 1 2\n", "my_unlock")
	f.Add("io read fd 1\nwait /x+/\nnone read\nwait a b args 1\n", "read")
	f.Fuzz(func(t *testing.T, text, name string) {
		r := &Rules{names: map[string]*rule{}, asked: map[string]*rule{}}
		if err := r.Read(strings.NewReader(text), "rules"); err != nil {
			if !strings.HasPrefix(err.Error(), "rules:") || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %q", err)
			}
			return
		}
		b := trace.NewBuilder("test")
		th := b.Thread("1", -1)
		ref := th.Begin(0, b.Function(trace.Function{Name: name}))
		th.Args(ref, []byte("(0x1, 3) = 0"))
		r.Apply(b)
		if _, err := b.Build(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
