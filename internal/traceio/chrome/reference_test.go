package chrome

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"
	"sort"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// plainEvent is an event as encoding/json decodes it.
type plainEvent struct {
	Name, Cat, Ph, Scope string
	Ts, Dur              json.Number
	Pid, Tid, ID         *json.Number
	ID2                  struct{ Local, Global string }
	Bp                   string
	Args                 json.RawMessage
}

// reference loads a list of events the plain way, record by record, from the rules in the package
// comment.
func reference(text []byte) (*trace.Trace, error) {
	var events []plainEvent
	if err := json.Unmarshal(text, &events); err != nil {
		return nil, err
	}
	b := trace.NewBuilder("chrome")
	r := &plainLoader{
		b:       b,
		threads: map[[2]string]*trace.ThreadBuilder{},
		lanes:   map[[4]string]*trace.ThreadBuilder{},
	}
	for _, e := range events {
		r.event(e)
	}
	r.link()
	return b.Build(context.Background())
}

type plainLoader struct {
	b       *trace.Builder
	threads map[[2]string]*trace.ThreadBuilder
	lanes   map[[4]string]*trace.ThreadBuilder
	flows   []plainFlow
}

type plainFlow struct {
	key  [4]string
	ph   string
	at   int64
	from *trace.ThreadBuilder
}

func exact(n json.Number) *big.Rat {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		return new(big.Rat)
	}
	return r
}

// nearest rounds µs to ns, halves up.
func nearest(us *big.Rat) int64 {
	ns := new(big.Rat).Mul(us, big.NewRat(1000, 1))
	ns.Add(ns, big.NewRat(1, 2))
	return new(big.Int).Div(ns.Num(), ns.Denom()).Int64()
}

func (r *plainLoader) event(e plainEvent) {
	pid, tid := "0", ""
	if e.Pid != nil {
		pid = e.Pid.String()
	}
	if tid = pid; e.Tid != nil {
		tid = e.Tid.String()
	}
	at := nearest(exact(e.Ts))
	end := nearest(new(big.Rat).Add(exact(e.Ts), exact(e.Dur)))
	thread := func() *trace.ThreadBuilder {
		t := r.threads[[2]string{pid, tid}]
		if t == nil {
			t = r.b.Thread(pid+"/"+tid, r.b.Process(pid))
			t.SetName(tid)
			r.threads[[2]string{pid, tid}] = t
		}
		return t
	}
	name := e.Name
	if name == "" {
		name = "(unnamed)"
	}
	fn := func(k trace.FuncKind) trace.FuncID {
		return r.b.Function(trace.Function{Name: name, Package: e.Cat, Kind: k})
	}
	args := compacted(e.Args)
	switch e.Ph {
	case "B":
		t := thread()
		t.Args(t.Begin(at, fn(trace.Routine)), args)
	case "X":
		t := thread()
		t.Args(t.Complete(at, end, fn(trace.Routine)), args)
	case "E":
		t := thread()
		if e.Name == "" {
			t.End(at)
		} else {
			t.EndNamed(at, fn(trace.Routine))
		}
		t.ReturnArgs(args)
	case "i":
		thread().Instant(at, fn(trace.Event))
	case "b", "e", "n":
		t := r.lane(e, pid, name)
		switch e.Ph {
		case "b":
			t.Args(t.Begin(at, fn(trace.Region)), args)
		case "n":
			t.Instant(at, fn(trace.Event))
		case "e":
			if e.Name == "" {
				t.End(at)
			} else {
				t.EndNamed(at, fn(trace.Routine))
			}
			t.ReturnArgs(args)
		}
	case "s", "t", "f":
		r.b.Observe(at)
		key := [4]string{e.Cat, e.Name, r.id(e)}
		r.flows = append(r.flows, plainFlow{key, e.Ph, at, thread()})
	case "P":
		r.b.Observe(at)
		r.b.Diagnose(trace.NotRead, 1, "")
	}
}

func compacted(raw json.RawMessage) []byte {
	var w bytes.Buffer
	if len(raw) == 0 || json.Compact(&w, raw) != nil || w.String() == "{}" {
		return nil
	}
	return w.Bytes()
}

func (r *plainLoader) id(e plainEvent) string {
	if e.ID != nil {
		return e.ID.String()
	}
	return ""
}

func (r *plainLoader) lane(e plainEvent, pid, name string) *trace.ThreadBuilder {
	key, id := [4]string{e.Cat, r.id(e)}, r.id(e)
	if e.ID2.Local != "" {
		id = e.ID2.Local
		key = [4]string{e.Cat, id, pid}
	} else if e.ID2.Global != "" {
		id = e.ID2.Global
		key = [4]string{e.Cat, id}
	}
	t := r.lanes[key]
	if t == nil {
		category := e.Cat
		if category == "" {
			category = "-"
		}
		if id == "" {
			id = "-"
		}
		t = r.b.Thread(pid+"/"+category+"/"+id, r.b.Process(pid))
		t.SetKind(trace.AsyncTrack)
		t.SetName(name)
		r.lanes[key] = t
	}
	return t
}

// link pairs, flow by flow in the order of their first mention, each t and f with the last s or t
// before it.
func (r *plainLoader) link() {
	first := map[[4]string]int{}
	for _, f := range r.flows {
		if _, ok := first[f.key]; !ok {
			first[f.key] = len(first)
		}
	}
	sort.SliceStable(r.flows, func(i, j int) bool {
		a, b := r.flows[i], r.flows[j]
		if first[a.key] != first[b.key] {
			return first[a.key] < first[b.key]
		}
		if a.at != b.at {
			return a.at < b.at
		}
		return strings.Index("stf", a.ph) < strings.Index("stf", b.ph)
	})
	last := map[[4]string]*plainFlow{}
	for i := range r.flows {
		f := &r.flows[i]
		if s := last[f.key]; f.ph != "s" && s != nil {
			r.b.Flow(trace.Moment{Thread: s.from, At: s.at}, trace.Moment{Thread: f.from, At: f.at})
		} else if f.ph != "s" {
			r.b.Diagnose(trace.UnboundFlow, 1, "no start")
		}
		if f.ph != "f" {
			last[f.key] = f
		}
	}
}

// eventText draws an event as text, with white space where JSON allows it.
func eventText(t *rapid.T) string {
	gaps := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})
	gap := func() string { return gaps.Draw(t, "gap") }
	var members []string
	put := func(name string, values ...string) {
		value := rapid.SampledFrom(values).Draw(t, name)
		members = append(members, gap()+`"`+name+`"`+gap()+":"+gap()+value+gap())
	}
	ph := rapid.SampledFrom(strings.Split("B B B E E E X X i b e n s t f P", " ")).Draw(t, "ph")
	put("ph", `"`+ph+`"`)
	put("ts", `0`, `1.0005`, `2.5e0`, `17952377582.5`, `"3"`, `1e1`, `12.3456789`, `-4.0015`, `7`)
	put("pid", `1`, `1`, `2`, `"2"`)
	maybe := rapid.Bool()
	if maybe.Draw(t, "tid?") {
		put("tid", `1`, `5`, `6`)
	}
	if maybe.Draw(t, "name?") {
		put("name", `"f"`, `"g"`, `"h\u00e9\"\\"`, `"}],{\"ph\":\"X\"}"`, `""`)
	}
	if maybe.Draw(t, "cat?") {
		put("cat", `"c"`, `"d,e"`)
	}
	if ph == "X" {
		put("dur", `0`, `1`, `2.0005`, `"10"`, `-1`, `0.9999999`)
	}
	if maybe.Draw(t, "id?") {
		put("id", `0`, `1`, `"7"`)
	} else if strings.Contains("ben", ph) {
		put("id2", `{"local":"0x1"}`, `{ "global" : "0x1" }`)
	}
	if ph == "f" {
		put("bp", `"e"`)
	}
	if maybe.Draw(t, "args?") {
		put("args", `{}`, `{ }`, `{"a":1}`, `[ 1 , {"ph":"X","ts":1} , {"ph" : "B"} ]`,
			`{"s": "a \" b", "n":[[ ],{"x":{}}]}`,
			`{"l":[{"ph":"B","ts":0,"pid":9},{"ph":"E","ts":2}]}`)
	}
	if maybe.Draw(t, "other?") {
		put("other", `null`, `{"ph":"X"}`, `[{"ph":"X","ts":5},{"ph":"X","ts":6}]`, `true`)
	}
	return gap() + "{" + strings.Join(rapid.Permutation(members).Draw(t, "order"), ",") + "}" + gap()
}

// TestReference holds the parallel loader, with blocks so small that events span several of them
// and cuts are often wrong, against the plain one.
func TestReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Custom(eventText), 0, 40).Draw(t, "events")
		text := []byte("[" + strings.Join(events, ",") + "]")
		want, err := reference(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := loadText(text, rapid.IntRange(1, 3000).Draw(t, "size"))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(texttest.Show(want), texttest.Show(got)); d != "" {
			t.Fatalf("(-want +got):\n%s\n%s", d, text)
		}
	})
}

// TestMicros holds the parser of times against exact arithmetic.
func TestMicros(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringMatching(`-?[0-9]{1,16}(\.[0-9]{0,12})?([eE][+-]?[0-9])?`).Draw(t, "number")
		got, ok := micros([]byte(s))
		want, _ := new(big.Rat).SetString(s)
		limit := new(big.Rat).SetInt64(trace.Limit / 1000)
		if new(big.Rat).Abs(want).Cmp(limit) >= 0 {
			if ok && new(big.Rat).Abs(want).Cmp(limit) > 0 {
				t.Fatalf("%s is beyond the limit", s)
			}
			return
		}
		if !ok {
			t.Fatalf("%s is refused", s)
		}
		// Digits beyond 10⁻⁹ µs are dropped, which can move a half.
		if d := got.rounded() - nearest(want); d != 0 && (d < -1 || d > 1 || len(s) < 12) {
			t.Fatalf("%s: %d, want %d", s, got.rounded(), nearest(want))
		}
	})
	for s, want := range map[string]int64{
		"1795237758259095.8": 1795237758259095800,
		"0.0005":             1, "0.00049": 0, "-0.0005": 0, "-0.00051": -1,
		"1e3": 1e6, "1.5E-1": 150, "12e-4": 1, "4e-4": 0, "0e999999999": 0,
		"00012": 12000, "1.": 1000, ".5": 500,
		"1e-9999999999999999999999": 0,
	} {
		if got, ok := micros([]byte(s)); !ok || got.rounded() != want {
			t.Errorf("%s: %d %v, want %d", s, got.rounded(), ok, want)
		}
	}
	for _, s := range []string{"", "-", ".", "NaN", "Infinity", "1e", "1e+", "e5", "0x10",
		"1.2.3", "1e999", "1e99999999999999999999",
		"2305843009213694", "99999999999999999999999", "1 2", "--1", "+1"} {
		if got, ok := micros([]byte(s)); ok {
			t.Errorf("%q is taken for %d", s, got.rounded())
		}
	}
}
