package text_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/text"
)

func parse(t *testing.T, in string) *trace.Trace {
	t.Helper()
	tr, err := text.Parse("x", strings.NewReader(in))
	if err != nil {
		t.Fatalf("%v in\n%s", err, in)
	}
	return tr
}

// TestAttributeErrors holds the message for what is wrong within a line that is otherwise complete.
func TestAttributeErrors(t *testing.T) {
	for in, want := range map[string]string{
		"trace t kind=x":                                `x:1: unknown attribute "kind"`,
		"trace t origin=x":                              `x:1: bad number "x"`,
		"trace t tool=\"\\x\"":                          `x:1: bad quoted word "\x"`,
		"trace t\nprocess 1 sort=x":                     `x:2: bad number "x"`,
		"trace t\nprocess 1 pid=2":                      `x:2: unknown attribute "pid"`,
		"trace t\nprocess 1 name=\"\\x\"":               `x:2: bad quoted word "\x"`,
		"trace t\nfunc f size=1":                        `x:2: unknown attribute "size"`,
		"trace t\nfunc f line=x":                        `x:2: bad number "x"`,
		"trace t\nfunc f line=9999999999":               "x:2: number 9999999999 out of range",
		"trace t\nfunc f kind=":                         `x:2: unknown kind ""`,
		"trace t\nthread 1 color=red":                   `x:2: unknown attribute "color"`,
		"trace t\nthread 1 sort=x":                      `x:2: bad number "x"`,
		"trace t\nthread 1 lane=x":                      `x:2: bad number "x"`,
		"trace t\nthread 1 role=\"\\x\"":                `x:2: bad quoted word "\x"`,
		"trace t\nthread 1 name=\"\\x\"":                `x:2: bad quoted word "\x"`,
		"trace t\nthread 1\n  0+1":                      "x:3: incomplete line",
		"trace t\nthread 1\n  0 f":                      `x:3: want START+DURATION, not "0"`,
		"trace t\nthread 1\n  a+1 f":                    `x:3: want START+DURATION, not "a+1"`,
		"trace t\nthread 1\n  0+-1 f":                   `x:3: want START+DURATION, not "0+-1"`,
		"trace t\nthread 1\n  0+1 f depth=-1":           "x:3: bad depth -1",
		"trace t\nthread 1\n  0+1 f depth=x":            `x:3: bad number "x"`,
		"trace t\nthread 1\n  0+1 f depth=2":            "x:3: level 2 below a call at level -1",
		"trace t\nthread 1\n  0+1 f args=\"\\x\"":       `x:3: bad quoted word "\x"`,
		"trace t\nthread 1\n  0+1 f wait=\"\\x\"":       `x:3: bad quoted word "\x"`,
		"trace t\nthread 1\n  0+1 f flags=sampled,x":    `x:3: unknown flag "x"`,
		"trace t\nthread 1\n  0+1 f#x":                  "x:3: no function f#x",
		"trace t\nfunc g\nthread 1\n  0+1 f#0":          "x:4: no function f#0",
		"trace t\nthread 1\n  1+4 f\n    0+2 g":         "x:4: call does not lie within its caller",
		"trace t\nthread 1\n  ! 1":                      "x:3: want ! TIME FUNC",
		"trace t\nthread 1\n  ! 1 f g":                  "x:3: want ! TIME FUNC",
		"trace t\nthread 1\n  ! x f":                    `x:3: bad number "x"`,
		"trace t\nthread 1\n  ! 1 f#7":                  "x:3: no function f#7",
		"trace t\ncorrespond 1:0 1:0":                   "x:2: want THREAD:CALL THREAD:CALL at=TIME",
		"trace t\ncorrespond 1 1:0 at=0":                `x:2: want THREAD:CALL, not "1"`,
		"trace t\ncorrespond 1:0:0 1:0 at=0":            `x:2: want THREAD:CALL, not "1:0:0"`,
		"trace t\ncounter c colour=red":                 `x:2: unknown attribute "colour"`,
		"trace t\ncounter c process=7":                  `x:2: no process "7"`,
		"trace t\ncounter c\n  x 1":                     `x:3: bad number "x"`,
		"trace t\ndiagnostic truncated":                 "x:2: want CODE COUNT [EXAMPLE]",
		"trace t\ndiagnostic truncated x":               `x:2: bad count "x"`,
		"trace t\ndiagnostic truncated -1":              `x:2: bad count "-1"`,
		"trace t\ndiagnostic truncated 1 \"\\x\"":       `x:2: bad quoted word "\x"`,
		"trace t\nthread 1\nprocess 1\n  0+1 f":         "x:4: indented line outside a thread or counter",
		"trace t\n\n\n# comment\n   # indented\nwhat 1": `x:6: unknown line "what"`,
	} {
		if _, err := text.Parse("x", strings.NewReader(in)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", in, err, want)
		}
	}
}

// TestCorrespondenceErrors are those that need calls to refer to.
func TestCorrespondenceErrors(t *testing.T) {
	const calls = "trace t\nthread 1\n  0+5 f wait=m\nthread 2\n  0+4 g release=m\n"
	for line, want := range map[string]string{
		"correspond 1:0 2:0 object=m":          "x:6: correspondence without at=TIME",
		"correspond 1:1 2:0 at=3":              "x:6: no call 1:1",
		"correspond 1:-1 2:0 at=3":             "x:6: no call 1:-1",
		"correspond 1:0 3:0 at=3":              "x:6: no call 3:0",
		"correspond 1:0 2:0 at=x":              `x:6: bad number "x"`,
		"correspond 1:0 2:0 at=3 by=1":         `x:6: unknown attribute "by"`,
		"correspond 1:0 2:0 at=3 object=\"\\x": "x:6: quoted word does not end",
	} {
		if _, err := text.Parse("x", strings.NewReader(calls+line)); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", line, err, want)
		}
	}
	tr := parse(t, calls+"correspond 1:0 2:0 at=3 object=m")
	if n := len(tr.Correspondences); n != 1 {
		t.Errorf("%d correspondences", n)
	}
}

// TestLayoutDoesNotMatter: blank lines, comments, line ends of other systems, a missing last line
// end and several blanks between words change nothing.
func TestLayoutDoesNotMatter(t *testing.T) {
	const plain = "trace t\nthread 1 name=main\n  0+9 f\n    1+2 g args=a\n    4+2 g\n"
	want := write(t, parse(t, plain))
	for name, in := range map[string]string{
		"line ends":    strings.ReplaceAll(plain, "\n", "\r\n"),
		"no last end":  strings.TrimRight(plain, "\n"),
		"blank lines":  strings.ReplaceAll(plain, "\n", "\n\n   \n"),
		"comments":     "# first\n" + strings.ReplaceAll(plain, "\n", "\n    # more\n"),
		"wide":         strings.NewReplacer("1 name", "1   name", "f\n", "f  \n", "2 g", "2   g").Replace(plain),
		"levels given": strings.ReplaceAll(plain, "    1+2 g", "  1+2 g depth=1"),
	} {
		if got := write(t, parse(t, in)); got != want {
			t.Errorf("%s: read\n%s\nas\n%s", name, in, got)
		}
	}
}

// TestUsesDeclare: functions, objects and processes need no line of their own, and then have the
// ids of their first use.
func TestUsesDeclare(t *testing.T) {
	tr := parse(t, "trace t\nobject z\nfunc late\nthread 1\n  0+9 f wait=y,z\n    1+2 g\n  10+1 late")
	var functions, objects []string
	for _, f := range tr.Functions {
		functions = append(functions, f.Name)
	}
	for _, o := range tr.Objects {
		objects = append(objects, o.Name)
	}
	if got := fmt.Sprint(functions, objects); got != "[late f g] [z y]" {
		t.Errorf("functions and objects %s", got)
	}
}

// TestNamesakes: functions of one name are told apart by their number, and a name alone means the
// first.
func TestNamesakes(t *testing.T) {
	tr := parse(t, "trace t\nfunc f file=a\nfunc f file=b\nthread 1\n  0+1 f\n  1+1 f#1\n  2+1 f#0")
	var files []string
	for i := range tr.Threads[0].Len() {
		files = append(files, tr.FunctionOf(tr.Threads[0], i).File)
	}
	if got := strings.Join(files, " "); got != "a b a" {
		t.Errorf("calls are of %s", got)
	}
}

// TestNumbersOutOfRange: times may lie where those of a trace may, and what they become is read back.
func TestNumbersOutOfRange(t *testing.T) {
	const most = int64(trace.Limit)
	for _, in := range []string{
		fmt.Sprintf("trace t\nthread 1\n  0+%d f", most),
		fmt.Sprintf("trace t\nthread 1\n  %d+%d f\n  %d+0 f", -most, 2*most, most),
		fmt.Sprintf("trace t origin=%d\nthread 1\n  0+%d f", -most, 2*most),
		fmt.Sprintf("trace t duration=%d origin=%d", 2*most, -most),
		fmt.Sprintf("trace t\ncounter c\n  %d 1\n  %d 2", -most, most),
	} {
		written := write(t, parse(t, in))
		if again := write(t, parse(t, written)); again != written {
			t.Errorf("%q is read as\n%s", written, again)
		}
	}
	for _, in := range []string{
		fmt.Sprintf("trace t\nthread 1\n  %d+0 f", most+1),
		fmt.Sprintf("trace t\nthread 1\n  1+%d f", most),
		fmt.Sprintf("trace t\nthread 1\n  0+%d f", most+1),
		fmt.Sprintf("trace t duration=%d", most+1),
		fmt.Sprintf("trace t duration=%d origin=%d", most, 1),
		fmt.Sprintf("trace t origin=%d", most+1),
	} {
		if _, err := text.Parse("x", strings.NewReader(in)); err == nil {
			t.Errorf("%q is accepted", in)
		}
	}
}

// TestAnyLineIsReadOrRefused: a line of words of the grammar in any order is either refused, with
// the file and the line, or read into a trace that can be written and read again.
func TestAnyLineIsReadOrRefused(t *testing.T) {
	words := []string{"trace", "process", "object", "func", "thread", "correspond", "counter",
		"diagnostic", "!", "0+5", "1+2", "3", "f", "g", "1", "2", "1:0", "2:0", "at=3", "wait=m",
		"release=m,n", "io=?", "args=x", "name=n", "process=1", "sort=2", "lane=1", "depth=1", "kind=event",
		"file=a.c", "line=7", "flags=sampled", "async", "sums", "runtime", "numbered", "role=r", `"q r"`}
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("trace t\nprocess 1\nthread 1\n  0+9 f\n")
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			b.WriteString(strings.Repeat("  ", rapid.IntRange(0, 3).Draw(t, "indent")))
			line := rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(t, "words")
			b.WriteString(strings.Join(line, " ") + "\n")
		}
		tr, err := text.Parse("x", strings.NewReader(b.String()))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x:") {
				t.Fatalf("error %v does not say where", err)
			}
			return
		}
		first := write(t, tr)
		again, err := text.Parse("again", strings.NewReader(first))
		if err != nil || write(t, again) != first {
			t.Fatalf("%v: wrote\n%s\nof\n%s", err, first, &b)
		}
	})
}
