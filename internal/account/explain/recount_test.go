package explain

import (
	"cmp"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/synth"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
	"diptych/internal/wait"
)

// What findings of the account claim, counted again from the traces by plain code.

// spell is some time of one thread, all of which belongs to one call, or to none.
type spell struct {
	kind       account.Kind
	name       string // of the function; "" for none
	id, caller uint32 // of functions
	object     int    // of a wait, −1 if it names none
	ns         int64
}

// recounted is one side's time from its definition.
type recounted struct {
	p      *pair.Pair
	sd     pair.Side
	r      *finding.Report
	w      *wait.Analysis
	waits  map[trace.CallRef][]int // by call: itself, or the gap before it
	spells []spell                 // of threads that count
}

// recountSides splits the time of both sides.
func recountSides(d *Difference) (sides [2]*recounted) {
	p := d.Balance.Pair
	for _, sd := range []pair.Side{pair.A, pair.B} {
		x := &recounted{p: p, sd: sd, r: d.Found, w: d.Balance.Waits[sd], waits: map[trace.CallRef][]int{}}
		for w := range x.w.Waits.Len() {
			ref := trace.CallRef{Thread: x.w.Waits.Thread[w], Call: x.w.Waits.Call[w]}
			x.waits[ref] = append(x.waits[ref], w)
		}
		for k, th := range p.Trace(sd).Threads {
			if th.Len() > 0 && importance(th) <= leastImportance(p) &&
				(d.Found.SampleType == "" || d.Found.SampleType == p.SampleTypeOf(sd, k)) {
				x.addThread(k, th)
			}
		}
		sides[sd] = x
	}
	return sides
}

// of returns a spell in a call of a function.
func (x *recounted) of(kind account.Kind, f trace.FuncID) spell {
	raw := x.p.IDs(x.sd)[f]
	s := spell{kind: kind, id: x.r.Identity(raw), caller: account.None, name: x.p.Names[raw], object: -1}
	if name := x.r.Name(s.id); strings.HasSuffix(name, " …") {
		s.name = name
	}
	return s
}

// importance says how much a thread is part of the program: threads of lower numbers are more so.
func importance(th *trace.Thread) int {
	if th.Kind == trace.SampleType {
		return 0
	}
	return slices.Index([]trace.ThreadKind{trace.Ordinary, trace.AsyncTrack, trace.Runtime, trace.Sums},
		th.Kind)
}

// leastImportance returns the importance up to which threads count, so that either side has some.
func leastImportance(p *pair.Pair) (most int) {
	for _, tr := range []*trace.Trace{p.A, p.B} {
		best := -1
		for _, th := range tr.Threads {
			if th.Len() > 0 && (best < 0 || importance(th) < best) {
				best = importance(th)
			}
		}
		most = max(most, best)
	}
	return most
}

// kindOf returns what call i is by itself.
func (x *recounted) kindOf(th *trace.Thread, i int) account.Kind {
	tr, kind := x.p.Trace(x.sd), account.CPU
	f := tr.FunctionOf(th, i)
	switch {
	case tr.Kind == trace.Profile:
	case f.Kind == trace.State && f.Name == "syscall":
		kind = account.IO
	case f.Kind == trace.State || f.Kind == trace.Event && (strings.HasPrefix(f.Name, "linux:schedule") ||
		strings.HasPrefix(f.Name, "sched:sched_switch") || strings.HasPrefix(f.Name, "sched_switch")):
		kind = account.OffCPU
	}
	for _, b := range th.BlocksOf(i) {
		switch b.Kind {
		case trace.Wait:
			return account.Wait
		case trace.IO:
			kind = account.IO
		}
	}
	return kind
}

// addThread adds each call's self time to the outermost call around it that blocks, or to itself,
// and the time between root calls.
func (x *recounted) addThread(k int, th *trace.Thread) {
	at, end := make([]int, th.Len()), th.Start(0) // index of the spell that a call belongs to
	for i := range th.Fn {
		up := int(th.Parent(i))
		if up < 0 {
			x.addGap(k, th, i, end)
			end = th.End(i)
		}
		if up >= 0 && x.spells[at[up]].kind != account.CPU {
			at[i] = at[up]
		} else {
			at[i] = len(x.spells)
			x.spells = append(x.spells, x.of(x.kindOf(th, i), th.Fn[i]))
			if s := &x.spells[at[i]]; up >= 0 {
				s.caller = x.r.Identity(x.p.IDs(x.sd)[th.Fn[up]])
			}
			for _, w := range x.waits[trace.CallRef{Thread: int32(k), Call: int32(i)}] {
				if x.spells[at[i]].kind == account.Wait && x.w.Waits.Start[w] >= th.Start(i) {
					x.spells[at[i]].object = x.object(w)
				}
			}
		}
		x.spells[at[i]].ns += th.Dur(i)
		if up >= 0 {
			x.spells[at[up]].ns -= th.Dur(i)
		}
	}
	for _, a := range awaitsOf(x.p.Trace(x.sd), k) { // what runs on another thread meanwhile
		if s := x.spells[at[a.Call]]; s.kind == account.CPU {
			s.kind, s.ns = account.Wait, a.To-a.From
			x.spells = append(x.spells, s)
			x.spells[at[a.Call]].ns -= s.ns
		}
	}
}

func awaitsOf(t *trace.Trace, thread int) []trace.Await {
	if list := t.Awaits(); list != nil {
		return list[thread]
	}
	return nil
}

// addGap adds the time before root call i: idle time, of which a part may be a wait.
func (x *recounted) addGap(k int, th *trace.Thread, i int, from int64) {
	idle := th.Start(i) - from
	for _, w := range x.waits[trace.CallRef{Thread: int32(k), Call: int32(i)}] {
		if ws := &x.w.Waits; ws.Start[w] < th.Start(i) {
			s := x.of(account.Wait, th.Fn[i])
			s.object, s.ns = x.object(w), min(ws.End[w], th.Start(i))-max(ws.Start[w], from)
			x.spells = append(x.spells, s)
			idle -= s.ns
		}
	}
	x.spells = append(x.spells, spell{kind: account.Idle, ns: idle})
}

// object returns what wait w is for, −1 if it names none but the address of a thread.
func (x *recounted) object(w int) int {
	if o := x.w.Object(w); o != trace.NoObject && !x.w.Handle(o) {
		return int(o)
	}
	return -1
}

// sum adds up the spells that are wanted.
func (x *recounted) sum(want func(s *spell) bool) (ns int64) {
	for i := range x.spells {
		if want(&x.spells[i]) {
			ns += x.spells[i].ns
		}
	}
	return ns
}

var kindsOf = map[finding.Quantity]account.Kind{finding.CPUNs: account.CPU, finding.IONs: account.IO,
	finding.OffCPUNs: account.OffCPU, finding.BlockedNs: account.Wait, finding.IdleNs: account.Idle}

// alike returns the time on CPU of functions that a caller calls about equally often on both sides.
func alike(sides [2]*recounted, of pair.Side) (ns int64) {
	type amount struct{ calls, ns [2]int64 }
	cells := map[[2]uint32]*amount{}
	for sd, x := range sides {
		for i := range x.spells {
			s := &x.spells[i]
			if s.kind != account.CPU {
				continue
			}
			key := [2]uint32{s.id, s.caller}
			if cells[key] == nil {
				cells[key] = &amount{}
			}
			cells[key].calls[sd]++
			cells[key].ns[sd] += s.ns
		}
	}
	p := sides[0].p
	for _, c := range cells {
		n, m := float64(c.calls[pair.A]), float64(c.calls[pair.B])
		if min(c.ns[pair.A], c.ns[pair.B]) > 0 && (p.Profile() || min(n, m) > 0 &&
			math.Abs(n-m) <= 0.1*max(n, m)) {
			ns += c.ns[of]
		}
	}
	return ns
}

// recount counts what a claim says of a side; ok is false for what package finding counts again.
func recount(sides [2]*recounted, sd pair.Side, c *finding.Claim) (v int64, ok bool) {
	x := sides[sd]
	kind, ofAccount := kindsOf[c.Quantity]
	switch {
	case ofAccount:
		return x.sum(func(s *spell) bool {
			return s.kind == kind && (c.Function == "" || c.Function == s.name) &&
				(c.Object == [2]*int{} || c.Object[sd] != nil && s.object == *c.Object[sd])
		}), true
	case c.Quantity == finding.WorkNs:
		return x.sum(func(s *spell) bool { return s.kind != account.Wait && s.kind != account.Idle }), true
	case c.Quantity == finding.ElapsedNs:
		return x.p.Extent(sd, cmp.Or(x.r.SampleType, x.p.SampleTypes()[0])), true
	case c.Quantity == finding.AlikeNs:
		return alike(sides, sd), true
	case c.Caller != nil || c.Thread != [2]*int{} || strings.HasSuffix(c.Function, " …"):
		return 0, false
	}
	return recountCalls(x.p, sd, c)
}

// recountCalls counts all calls of a function, of all threads but sums.
func recountCalls(p *pair.Pair, sd pair.Side, c *finding.Claim) (n int64, ok bool) {
	for _, th := range p.Trace(sd).Threads {
		for i, fn := range th.Fn {
			if th.Kind == trace.Sums || p.Names[p.IDs(sd)[fn]] != c.Function {
				continue
			}
			self := th.Dur(i)
			for k := i + 1; k < th.Next(i); k = th.Next(k) {
				self -= th.Dur(k)
			}
			waits := slices.ContainsFunc(th.BlocksOf(i), func(b trace.Block) bool { return b.Kind == trace.Wait })
			switch {
			case c.Quantity == finding.Calls:
				n++
			case c.Quantity == finding.SelfNs, c.Quantity == finding.WaitNs && waits:
				n += self
			}
		}
	}
	return n, c.Quantity == finding.Calls || c.Quantity == finding.SelfNs || c.Quantity == finding.WaitNs
}

// holdsClaims fails if a finding claims nothing, or if a claim is not what plain code counts. Some
// claims of findings of the alignment are counted again in package finding.
func holdsClaims(t testtrace.TB, d *Difference) {
	t.Helper()
	sides := recountSides(d)
	for _, f := range d.Findings {
		if f.SampleType != "" {
			continue // it is one of d.Others
		}
		if len(f.Claims) == 0 {
			t.Fatal(f.Kind, f.Text, "claims nothing")
		}
		for _, c := range f.Claims {
			for _, sd := range []pair.Side{pair.A, pair.B} {
				if got, ok := recount(sides, sd, &c); ok && got != c.Values[sd] {
					t.Fatal(f.Text, "claims", c.Quantity, c.Function, c.Values, "but side", sd, "has", got)
				}
			}
		}
	}
}

// TestClaimsOfEditedPairs counts the claims about generated programs with edits again.
func TestClaimsOfEditedPairs(t *testing.T) {
	kinds := []synth.Kind{synth.Insert, synth.Delete, synth.Move, synth.Rename, synth.Slow, synth.Contend}
	for n, kind := range kinds {
		dir := t.TempDir()
		paths := [2]string{filepath.Join(dir, "a.uftrace"), filepath.Join(dir, "b.uftrace")}
		o := synth.Options{Seed: uint64(n), Calls: 1000, Threads: 1 + n, Functions: 100,
			Edits: map[synth.Kind]float64{kind: 0.1}, Noise: synth.Noise{Calls: 0.05, Drift: 0.1}}
		if _, err := synth.Generate(t.Context(), o, paths[0], paths[1], nil); err != nil {
			t.Fatal(err)
		}
		var sides [2]*trace.Trace
		for sd, path := range paths {
			var err error
			if sides[sd], err = traceio.Load(t.Context(), path, input.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		d := differenceOf(t, sides[0], sides[1])
		holdsAccount(t, d)
		holdsClaims(t, d)
		if len(d.Findings) == 0 {
			t.Errorf("%v: no findings", kind)
		}
	}
}
