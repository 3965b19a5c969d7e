package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "rewrite the golden file")

// hostileNames are what a function, a thread or an object may be called.
var hostileNames = []string{"main", "=cmd|' /C calc'!A0", "clear\x1b[2J\x1b]0;owned\a", "two\nlines\ttab",
	"\u202egnp.exe", "+1", "-1", "@SUM(A1)", "nul\x00", "c1\u009b31m", "[link](http://x) | `code` <b>"}

// hostilePair writes two traces whose names are hostile, in files whose names are, and returns
// their paths. In B each call takes longer, and two are new.
func hostilePair(t *testing.T) (a, b string) {
	t.Helper()
	dir := t.TempDir()
	write := func(file string, factor, more int) string {
		var events []map[string]any
		add := func(phase, name string, tid, at, dur int, args map[string]any) {
			events = append(events, map[string]any{"ph": phase, "name": name, "pid": 1, "tid": tid,
				"ts": at, "dur": dur, "args": args})
		}
		add("M", "process_name", 1, 0, 0, map[string]any{"name": "process\x1b[1m"})
		for tid := 1; tid <= 2; tid++ {
			add("M", "thread_name", tid, 0, 0, map[string]any{"name": hostileNames[tid+1]})
			at := 1000
			for i, name := range slices.Concat(hostileNames, hostileNames[:more]) {
				dur := 400 * (i + 1) * factor
				add("X", name, tid, at, dur, nil)
				add("X", "pthread_mutex_lock", tid, at+10, dur/4, map[string]any{"args": "(\x1b[5m0x1)"})
				add("X", "pthread_mutex_unlock", tid, at+20+dur/4, 5, map[string]any{"args": "(\x1b[5m0x1)"})
				at += dur + 100
			}
		}
		events = append(events, map[string]any{"ph": "E", "name": "lost\x1b", "pid": 1, "tid": 9, "ts": 5})
		text, err := json.Marshal(events)
		if err != nil {
			t.Fatal(err)
		}
		at := filepath.Join(dir, file)
		if err := os.WriteFile(at, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	return write("a\x1b[31m.json", 1, 0), write("b\u202e.json", 2, 2)
}

// printing are the commands that print texts with names. A and B stand for the traces. The golden
// file shows what those print whose output is nothing but names and sums.
var printing = []struct {
	command string
	golden  bool
}{
	{"info A", true}, {"structure A B", true}, {"export A B --to csv -o OUT", true},
	{"info missing\x1b[2J.json", true}, {"export A B --to csv --table calls -o OUT", false},
	{"export A B --to folded -o OUT", false}, {"match --groups A B", false}, {"align A B", false}, {"align --pairs all A B", false},
	{"waits A", false}, {"waits A B", false}, {"aggregate A B", false}, {"diff A B", false},
	{"diff --format md A B", false}, {"diff --format github A B", false},
	{"diff --format junit A B", false}, {"report A B -o OUT", false}, {"report A B --to md", false},
}

// TestNamesAreHarmless prints hostile names to every destination: no control character but the
// newline reaches it.
func TestNamesAreHarmless(t *testing.T) {
	a, b := hostilePair(t)
	var golden bytes.Buffer
	for _, c := range printing {
		args := strings.Fields(c.command)
		file := filepath.Join(t.TempDir(), "out.csv")
		for i, arg := range args {
			switch arg {
			case "A":
				args[i] = a
			case "B":
				args[i] = b
			case "OUT":
				args[i] = file
			}
		}
		_, out, errs := run(t, args...)
		text, err := os.ReadFile(file)
		if err == nil {
			out += strings.ReplaceAll(string(text), "\r\n", "\n")
		}
		for _, r := range out + errs {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("%s prints %U", c.command, r)
			}
		}
		if out+errs == "" {
			t.Errorf("%s prints nothing", c.command)
		}
		if c.golden {
			fmt.Fprintf(&golden, "$ diptych %q\n%s%s\n", c.command, out, errs)
		}
	}
	got := strings.ReplaceAll(golden.String(), filepath.Dir(a)+string(filepath.Separator), "")
	path := filepath.Join("testdata", "hostile.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; run the test with -update", err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%s", path, got)
	}
}

// TestOnlyEscapePrintsTexts reads this package's source: texts that may come from files are printed
// by escape.Printf, never by package fmt, which may print constants.
func TestOnlyEscapePrintsTexts(t *testing.T) {
	allowed := map[string]string{"root.go": "errors go through oneLine", "settings.go": "into a help text"}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || allowed[file] != "" {
			continue
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if ok && fmt.Sprint(f.X) == "fmt" && strings.HasPrefix(f.Sel.Name, "Fprint") {
				for _, arg := range call.Args[1:] {
					if !constant(arg) {
						t.Errorf("%v: fmt.%s prints what is no constant", set.Position(call.Pos()), f.Sel.Name)
					}
				}
			}
			return true
		})
	}
}

// constant reports whether an expression is text of the program's own.
func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.BinaryExpr:
		return constant(e.X) && constant(e.Y)
	case *ast.Ident:
		return e.Obj == nil || e.Obj.Kind == ast.Con
	}
	return false
}
