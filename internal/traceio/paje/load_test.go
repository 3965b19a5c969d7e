package paje

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// declared is a header as the tests use it; its numbers are its own, and so is the order of fields.
const declared = `# a comment
%EventDef PajeDefineContainerType 10
%  Name string
%  Alias string
%  Type string
%EndEventDef
%EventDef PajeDefineStateType 11
% Alias string
% Type string
% Name string
%EndEventDef
%EventDef PajeDefineEventType 12
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeDefineVariableType 13
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeDefineLinkType 14
% Alias string
% Type string
% StartContainerType string
% EndContainerType string
% Name string
%EndEventDef
%EventDef PajeDefineEntityValue 15
% Alias string
% Type string
% Name string
% Color color
%EndEventDef
%EventDef PajeCreateContainer 20
% Time date
% Alias string
% Type string
% Container string
% Name string
%EndEventDef
%EventDef PajeDestroyContainer 21
% Time date
% Type string
% Name string
%EndEventDef
%EventDef PajeSetState 30
% Value string
% Container string
% Type string
% Time date
%EndEventDef
% EventDef PajePushState 31
% Time date
% Type string
% Container string
% Value string
% Line int
% EndEventDef
%EventDef PajePopState 32
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeResetState 33
% Time date
% Type string
% Container string
%EndEventDef
%EventDef PajeSetVariable 40
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeAddVariable 41
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeSubVariable 42
% Time date
% Type string
% Container string
% Value double
%EndEventDef
%EventDef PajeStartLink 50
% Time date
% Type string
% Container string
% Value string
% StartContainer string
% Key string
%EndEventDef
%EventDef PajeEndLink 51
% Time date
% Type string
% Container string
% Value string
% EndContainer string
% Key string
%EndEventDef
%EventDef PajeNewEvent 60
% Time date
% Type string
% Container string
% Value string
%EndEventDef
`

// types declares what most tests need: machines H with processes P, which have states S and T.
const types = declared + `10 Host H 0
10 Process P H
11 S P "MPI state"
11 T P Task
12 E P Mark "0 0 1"
13 V P load "0 0 1"
14 L 0 P P message
15 r S MPI_Recv "1 0 0"
15 s S MPI_Send "0 1 0"
20 0 h1 H 0 node-1
20 0 p1 P h1 "rank 0"
20 0 p2 P h1 "rank 1"
`

func loadText(text string) (*trace.Trace, error) {
	b := trace.NewBuilder("paje")
	src := &input.Source{Path: "f.trace", Head: []byte(text), Stream: strings.NewReader(text)}
	if err := Load(context.Background(), src, input.Options{}, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func mustLoad(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := loadText(text)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// calls lists the calls of a thread as "name start-end" with dots for their depth, times in ms.
func calls(tr *trace.Trace, th *trace.Thread) (all []string) {
	for i := range th.Len() {
		all = append(all, fmt.Sprintf("%s%s %d-%d", strings.Repeat(".", int(th.Depth(i))),
			tr.FunctionOf(th, i).Name, th.Start(i)/1e6, th.End(i)/1e6))
	}
	return all
}

func told(tr *trace.Trace) (all []string) {
	for _, d := range tr.Diagnostics {
		all = append(all, fmt.Sprintf("%s %d %s", d.Code, d.Count, d.Example))
	}
	return all
}

func TestStates(t *testing.T) {
	for name, c := range map[string]struct {
		lines string
		calls []string
		told  []string
	}{
		"push and pop nest": {"31 1 S p1 A 7\n31 2 S p1 r 8\n32 3 S p1\n32 4 S p1\n",
			[]string{"A 1000-4000", ".MPI_Recv 2000-3000"}, nil},
		"set replaces all that is open": {"31 1 S p1 A 0\n31 2 S p1 B 0\n30 C p1 S 3\n32 4 S p1\n",
			[]string{"A 1000-3000", ".B 2000-3000", "C 3000-4000"}, nil},
		"reset ends all": {"31 1 S p1 A 0\n31 2 S p1 B 0\n33 3 S p1\n31 4 S p1 C 0\n32 5 S p1\n",
			[]string{"A 1000-3000", ".B 2000-3000", "C 4000-5000"}, nil},
		"destroying a container ends its states": {"31 1 S p1 A 0\n21 2 P p1\n21 3 P p2\n",
			[]string{"A 1000-2000"}, nil},
		"destroying a container ends those in it": {"20 0 q P p1 inner\n20 0 r P q leaf\n" +
			"31 1 S r A 0\n21 2 P p1\n21 3 P p2\n", []string{"A 1000-2000"}, nil},
		"a state that was set lasts to the end": {"30 A p1 S 1\n21 3 P p2\n",
			[]string{"A 1000-3000"}, nil},
		"a state that was pushed lacks its end": {"31 1 S p1 A 0\n21 3 P p2\n",
			[]string{"A 1000-3000"}, []string{"unmatched-begin 1 a state of rank 0 that is never popped"}},
		"containers and types by name": {"31 1 \"MPI state\" \"rank 0\" A 0\n32 2 S p1\n",
			[]string{"A 1000-2000"}, nil},
		"values in quotation marks": {"31 1 S p1 \"a b\" 0\n31 2 S p1 \"\" 0\n32 3 S p1\n32 4 S p1\n",
			[]string{"a b 1000-4000", ".MPI state 2000-3000"}, nil},
		"pop of nothing": {"31 1 S p1 A 0\n32 2 S p1\n32 3 S p1\n", []string{"A 1000-2000"},
			[]string{"unmatched-end 1 thread rank_0: end at 3.00 s"}},
		"CR and blanks": {"31 1  S\tp1 A 0 \r\n\r\n32 2 S p1\r\n", []string{"A 1000-2000"}, nil},
		"lines that are none": {"31 1 S p1 A 0\n99 1\nx 1\n31 2 S p1\n31 z S p1 A 0\n31 2 S px A 0\n" +
			"31 2 V p1 A 0\n31 2 S p1 \"A\n32 2 S p1\n",
			[]string{"A 1000-2000"}, []string{"bad-record 7 line 125: no event of that number is defined"}},
		"zeros": {"31 1 S p1 A 0\n31 2 S p1 \x00\x00 S p1 B 0\n32 2 S p1\n", []string{"A 1000-2000"},
			[]string{"bad-record 1 line 125: a zero byte"}},
		"a field too many": {"31 1 S p1 A 0 more\n32 2 S p1\n", []string{"A 1000-2000"},
			[]string{"not-read 1 line 124: a field that is not declared"}},
	} {
		tr := mustLoad(t, types+c.lines)
		var got []string
		if len(tr.Threads) == 1 {
			got = calls(tr, tr.Threads[0])
		}
		notes := told(tr)
		for i := range notes { // the end of an example is not this package's
			if len(c.told) > i && strings.HasPrefix(notes[i], c.told[i]) {
				notes[i] = c.told[i]
			}
		}
		if !slices.Equal(got, c.calls) || !slices.Equal(notes, c.told) {
			t.Errorf("%s: calls %q, told %q, want %q, %q", name, got, notes, c.calls, c.told)
		}
	}
}

// TestThreads has a container with two types of states, events and a counter.
func TestThreads(t *testing.T) {
	tr := mustLoad(t, types+"60 0.5 E p2 \"begun\"\n31 1 S p1 A 42\n31 1.5 T p1 A 43\n32 2 S p1\n32 3 T p1\n"+
		"40 1 V p1 10\n41 2 V p1 3.5\n42 3 V p1 1\n40 4 V p1 x\n60 3 E p1 done\n")
	var got []string
	for _, th := range tr.Threads {
		p := tr.Processes[th.Process]
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%d|%d|%s", th.ID, th.Name, p.Name, p.Host, th.Len(),
			len(th.Instants), strings.Join(calls(tr, th), " ")))
	}
	want := []string{"rank_0_·_MPI_state|rank 0 · MPI state|rank 0|node-1|1|1|A 1000-2000",
		"rank_0_·_Task|rank 0 · Task|rank 0|node-1|1|0|A 1500-3000", "rank_1|rank 1|rank 1|node-1|0|1|"}
	if !slices.Equal(got, want) {
		t.Errorf("threads %q", got)
	}
	if args := tr.Threads[0].Args(0); args != "Line=42" {
		t.Errorf("arguments %q", args)
	}
	if len(tr.Counters) != 1 || !slices.Equal(tr.Counters[0].Value, []float64{10, 13.5, 12.5}) {
		t.Errorf("counters %+v", tr.Counters)
	}
}

// TestLinks has messages to processes that wait for them and that do not.
func TestLinks(t *testing.T) {
	tr := mustLoad(t, types+"31 1 S p2 r 0\n31 2 S p1 s 0\n50 2 L 0 x p1 k\n32 2.5 S p1\n51 3 L 0 x p2 k\n"+
		"32 3 S p2\n31 4 S p1 s 0\n50 4 L 0 x p1 k\n32 4 S p1\n31 5 S p2 A 0\n51 5 L 0 x p2 k\n32 6 S p2\n"+
		"51 6 L 0 x p2 early\n50 5 L 0 x p1 early\n50 6 L 0 x p1 lost\n50 6 L 0 x p1 lost\n"+
		"50 6 L 0 x p9 k\n50 6 S 0 x p1 k\n50 6 L 0 x h1 wire\n51 6 L 0 x p1 wire\n")
	var got []string
	for _, l := range tr.Links {
		from, to := tr.Threads[l.From.Thread], tr.Threads[l.To.Thread]
		got = append(got, fmt.Sprintf("%s>%s %d-%d", tr.FunctionOf(from, int(l.From.Call)).Name,
			tr.FunctionOf(to, int(l.To.Call)).Name, l.At/1e6, l.Until/1e6))
	}
	if want := []string{"MPI_Send>MPI_Recv 2000-3000", "MPI_Send>A 4000-5000"}; !slices.Equal(got, want) {
		t.Errorf("links %q", got)
	}
	want := []string{"bad-record 2 ", "not-read 1 ", "unbound-flow 3 "}
	if notes := told(tr); len(notes) != 3 || !slices.ContainsFunc(want, func(w string) bool {
		return strings.HasPrefix(notes[0], w)
	}) {
		t.Errorf("told %q", notes)
	}
}

// TestProcesses finds the process of containers that lie at several depths.
func TestProcesses(t *testing.T) {
	for name, c := range map[string]struct{ lines, want string }{
		"below the root":       {"10 A A 0\n11 S A S\n20 0 a A 0 x\n31 1 S a f 0\n", "x of x on "},
		"below another":        {"10 A A 0\n10 B B A\n11 S B S\n20 0 a A 0 x\n20 0 b B a y\n31 1 S b f 0\n", "y of x on "},
		"a host":               {"10 Machine A 0\n11 S A S\n20 0 a A 0 x\n31 1 S a f 0\n", "x of x on x"},
		"a zone, then a host":  {"10 Z A 0\n10 host B A\n10 C C B\n11 S C S\n20 0 a A 0 z\n20 0 b B a h\n20 0 c C b y\n31 1 S c f 0\n", "y of y on h"},
		"in one that is lost":  {"10 A A 0\n11 S A S\n20 0 a A lost x\n31 1 S a f 0\n", "x of x on "},
		"of a host's children": {"10 Node B 0\n10 C C B\n10 D D C\n11 S D S\n20 0 b B 0 h\n20 0 c C b y\n20 0 d D c z\n31 1 S d f 0\n", "z of y on h"},
	} {
		tr := mustLoad(t, declared+c.lines)
		th := tr.Threads[0]
		p := tr.Processes[th.Process]
		if got := fmt.Sprintf("%s of %s on %s", th.Name, p.Name, p.Host); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestSameNames has processes of one name on two hosts.
func TestSameNames(t *testing.T) {
	tr := mustLoad(t, types+"20 0 h2 H 0 node-2\n20 0 q1 P h2 \"rank 0\"\n20 0 q2 P h2 \"rank 0\"\n"+
		"31 1 S p1 f 0\n31 1 S q1 f 0\n31 1 S q2 f 0\n33 2 S p1\n33 2 S q1\n33 2 S q2\n")
	if len(tr.Threads) != 3 || len(tr.Processes) != 3 {
		t.Fatalf("%d threads in %d processes", len(tr.Threads), len(tr.Processes))
	}
	for _, th := range tr.Threads {
		if tr.Processes[th.Process].Name != "rank 0" || th.Name != "rank 0" {
			t.Errorf("thread %s in process %+v", th.Name, tr.Processes[th.Process])
		}
	}
}

// TestManySameNames: thousands of containers that have one name become as many processes, at once.
// Looking for a free name from the first on each time took minutes.
func TestManySameNames(t *testing.T) {
	const n = 8000
	var text strings.Builder
	text.WriteString(types)
	for k := range n {
		fmt.Fprintf(&text, "20 0 q%d P 0 p\n31 1 S q%d r\n32 2 S q%d\n", k, k, k)
	}
	before := testtrace.Processor()
	tr := mustLoad(t, text.String())
	if took := testtrace.Processor() - before; took > 10*time.Second {
		t.Errorf("it takes %v", took)
	}
	if p := tr.Processes; len(p) != n || p[0].ID != "p" || p[1].ID != "p.2" || p[n-1].ID != fmt.Sprint("p.", n) {
		t.Errorf("%d processes: %v …", len(p), p[:2])
	}
}

func TestTimes(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1e9, "0.000017": 17000, "1.0000000005": 1000000001, "1.00000000049999": 1e9,
		".5": 5e8, "2.": 2e9, "1e-3": 1e6, "-1.5": -1500000000, "1234567890.123456789": 1234567890123456789,
		"1.00000000000000000000000001": 1e9, "": -1, ".": -1, "x": -1, "nan": -1, "inf": -1, "1e30": -1,
		"2305843009": 2305843009000000000, "2305843010": -1, "99999999999999999": -1,
	} {
		got, ok := nanoseconds([]byte(text))
		if !ok {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestHeaders(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a definition without a number": {"%EventDef PajePopState\n%EndEventDef\n", "bad-record"},
		"a field of no definition":      {"% Time date\n", "bad-record"},
		"a definition that lacks fields": {"%EventDef PajePushState 1\n% Time date\n%EndEventDef\n1 2\n",
			"bad-record"},
		"an event of one's own": {"%EventDef PajeTraceFile 1\n% Name string\n%EndEventDef\n1 x\n", "not-read"},
		"a long line":           {"# " + strings.Repeat("x", 2*longest) + "\n", "bad-record"},
		"too many fields":       {"%EventDef X 1\n" + strings.Repeat("% a int\n", 101) + "%EndEventDef\n", "bad-record"},
	} {
		tr := mustLoad(t, c.text+types+"31 1 S p1 A 0\n32 2 S p1\n")
		if notes := told(tr); len(notes) != 1 || !strings.HasPrefix(notes[0], c.want+" 1 ") || tr.Calls() != 1 {
			t.Errorf("%s: told %q, %d calls", name, notes, tr.Calls())
		}
	}
	// The names of fields in the oldest version.
	old := strings.NewReplacer("% Type", "% EntityType", "StartContainer string", "SourceContainer string",
		"EndContainer string", "DestContainer string").Replace(types)
	if tr := mustLoad(t, old+"31 1 S p1 A 0\n32 2 S p1\n"); len(tr.Diagnostics) > 0 || tr.Calls() != 1 {
		t.Errorf("the oldest names: %v", told(tr))
	}
}

// TestCutLine: a last line that does not end may be the beginning of one, and that is told.
func TestCutLine(t *testing.T) {
	tr := mustLoad(t, types+"31 1 S p1 A 0\n32 2 S p1\n31 3 S p1 Allred")
	if notes := told(tr); len(notes) == 0 || !strings.HasPrefix(notes[0], "truncated 1 ") {
		t.Errorf("told %q", notes)
	}
	if tr := mustLoad(t, types+"31 1 S p1 A 0\n32 2 S p1\n  "); len(tr.Diagnostics) > 0 {
		t.Errorf("after the last line: told %q", told(tr))
	}
}

func TestSniff(t *testing.T) {
	for text, want := range map[string]bool{
		types: true, "\xef\xbb\xbf# x\n\n%EventDef PajePushState 1": true, "%  EventDef A 1\r\n": true,
		"": false, "# only a comment\n": false, "%PDF-1.4\n": false, "%EventDef": false, "0 1 0 MPI\n": false,
	} {
		if got := Sniff(&input.Source{Head: []byte(text)}); got != want {
			t.Errorf("%.30q: %v", text, got)
		}
	}
	_, err := loadText("%EventDef PajePushState 1\n")
	var e *input.FormatError
	if !errors.As(err, &e) || e.Offset < 0 || !strings.Contains(e.Error(), "no event") {
		t.Errorf("a header alone: %v", err)
	}
}
