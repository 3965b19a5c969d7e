package trend

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/batch"
	"diptych/internal/synth"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// event is a line of a generated trace.
type event struct {
	Ph   string         `json:"ph"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Ts   float64        `json:"ts"`
	Dur  float64        `json:"dur"`
	Name string         `json:"name"`
	Args map[string]any `json:"args,omitempty"`
}

type recording struct {
	Events []event `json:"traceEvents"`
}

// generated returns a trace of `diptych generate`.
func generated(t *testing.T, seed uint64) *recording {
	t.Helper()
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.json"), filepath.Join(dir, "b.json")
	o := synth.Options{Calls: 1000, Threads: 2, Functions: 100, Seed: seed}
	if _, err := synth.Generate(t.Context(), o, a, b, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

// repeated is the same run once more: whatever a thread does by itself takes pace(function) times as
// long.
func (r *recording) repeated(pace func(function string) float64) *recording {
	again := &recording{slices.Clone(r.Events)}
	threads := map[int][]int{}
	for i, e := range r.Events {
		if e.Ph == "X" {
			threads[e.Tid] = append(threads[e.Tid], i)
		}
	}
	for _, tid := range []int{4200, 4201} {
		list := threads[tid]
		slices.SortStableFunc(list, func(i, j int) int { // callers before what they call
			x, y := r.Events[i], r.Events[j]
			return cmp.Or(cmp.Compare(x.Ts, y.Ts), cmp.Compare(y.Dur, x.Dur))
		})
		var open []int
		was, now := 0.0, 0.0
		move := func(to float64) {
			name := ""
			if len(open) > 0 {
				name = r.Events[open[len(open)-1]].Name
			}
			now += (to - was) * pace(name)
			was = to
		}
		end := func() {
			i := open[len(open)-1]
			move(r.Events[i].Ts + r.Events[i].Dur)
			again.Events[i].Dur = now - again.Events[i].Ts
			open = open[:len(open)-1]
		}
		for _, i := range list {
			for len(open) > 0 && r.Events[open[len(open)-1]].Ts+r.Events[open[len(open)-1]].Dur <= r.Events[i].Ts {
				end()
			}
			move(r.Events[i].Ts)
			again.Events[i].Ts = now
			open = append(open, i)
		}
		for len(open) > 0 {
			end()
		}
	}
	return again
}

func (r *recording) write(t *testing.T, path string) {
	t.Helper()
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(r); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// mostTime returns the function with the most self time that calls nothing of the system.
func (r *recording) mostTime() string {
	times := map[string]float64{}
	for _, e := range r.Events {
		if strings.Contains(e.Name, ".") {
			times[e.Name] += e.Dur
		}
	}
	best := ""
	for name, v := range times {
		if best == "" || v > times[best] || v == times[best] && name < best {
			best = name
		}
	}
	return best
}

// nights makes a batch of some pairs for each night: the same run again, in which everything varies
// by chance, and on side B from one commit on a function takes 1.4 times as long by itself.
func nights(t *testing.T, n, pairs, from int) (list []*batch.Directory, names []string, slowed string) {
	t.Helper()
	dir := t.TempDir()
	var bases []*recording
	for k := range pairs {
		bases = append(bases, generated(t, 5))
		bases[k].write(t, filepath.Join(dir, fmt.Sprintf("base%d.json", k)))
	}
	slowed = bases[0].mostTime()
	for night := 1; night <= n; night++ {
		r := rand.New(rand.NewPCG(7, uint64(night)))
		m := &batch.Manifest{Path: filepath.Join(dir, "manifest.csv")}
		for k, base := range bases {
			name := fmt.Sprintf("night%d-%d.json", night, k)
			base.repeated(func(function string) float64 {
				pace := math.Exp(.05 * r.NormFloat64())
				if function == slowed && night >= from {
					pace *= 1.4
				}
				return pace
			}).write(t, filepath.Join(dir, name))
			m.Pairs = append(m.Pairs, batch.Pair{Name: fmt.Sprintf("test%d", k),
				A: fmt.Sprintf("base%d.json", k), B: name})
		}
		names = append(names, fmt.Sprintf("night%d", night))
		list = append(list, compared(t, m, filepath.Join(dir, names[night-1])))
	}
	return list, names, slowed
}

func compared(t *testing.T, m *batch.Manifest, path string) *batch.Directory {
	t.Helper()
	o := batch.Options{Shard: batch.Whole, Workers: 2}
	o.Load = func(ctx context.Context, path string) (*trace.Trace, error) {
		return traceio.Load(ctx, path, input.Options{})
	}
	done, err := batch.Run(t.Context(), m, path, o)
	if err != nil {
		t.Fatal(err)
	}
	return done.Directory
}

// TestTheSlowedFunctionIsNamed: of 12 nights in which one function is slower from the 7th on, that
// is what is told, and nothing else but the totals that it is part of.
func TestTheSlowedFunctionIsNamed(t *testing.T) {
	list, names, slowed := nights(t, 12, 2, 7)
	tr, err := Of(t.Context(), list, names, Options{Measure: OfB})
	if err != nil {
		t.Fatal(err)
	}
	functions := 0
	for _, c := range tr.Changes {
		if c.Commit != 7 || c.Name != "night7" {
			t.Errorf("%s %s changes at %d", c.Kind, c.Function, c.Commit)
		}
		if c.Kind != Function {
			continue
		}
		functions++
		if c.Function != slowed || math.Abs(c.Factor-1.4) > .05 || c.Pairs != 2 || c.PairsOf != 2 {
			t.Errorf("%q: %.2f× in %d of %d pairs, want %q, 1.4×, 2 of 2", c.Function, c.Factor, c.Pairs,
				c.PairsOf, slowed)
		}
	}
	if functions != 1 || len(tr.Drifts) > 0 || len(tr.LeftOut) > 0 || !tr.FixedA {
		t.Errorf("%d functions changed, %d drift, %d pairs left out, fixed A: %v", functions, len(tr.Drifts),
			len(tr.LeftOut), tr.FixedA)
	}
}
