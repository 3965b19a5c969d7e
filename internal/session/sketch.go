package session

import (
	"cmp"
	"context"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/trace"
)

// A session names threads by their ids. Another recording of the program has other ids, so the
// session also keeps a sketch of each thread that it names, and of those that have the same name:
// what the thread is called and what it runs. When such a session is opened, sketches are paired
// with the threads of the new recording, by the rules by which the threads of two traces are.

// Limits of sketches, so that they take little time and few bytes however large a trace is.
const (
	mostSketched   = 48      // threads of a side
	sketchedRuns   = 32      // functions of a thread, those that it calls most
	sketchedCalls  = 1 << 16 // calls of a thread that are looked at, from the first on
	mostSketchRuns = 1023    // calls of a function: its order of magnitude is what matters
)

// sketch keeps what the threads are that a session names on a side.
func sketch(f *saved.Session, side pair.Side, tr *trace.Trace) {
	named, names := map[int]bool{}, map[string]bool{}
	eachThread(f, side, func(id string) string {
		if k := tr.ThreadByID(id); k >= 0 && len(named) < mostSketched {
			named[k], names[tr.Threads[k].CommonName()] = true, true
		}
		return id
	})
	left := mostSketched - len(named) // for others of the same names
	counts := make([]int, len(tr.Functions))
	var list []saved.Thread
	for k, th := range tr.Threads {
		if !named[k] {
			if left == 0 || !names[th.CommonName()] {
				continue
			}
			left--
		}
		list = append(list, sketchOf(tr, th, counts))
	}
	*f.Threads.On(int(side)) = list
}

// sketchOf says what a thread is called and what it runs. Counts, by function, are 0 before and
// after.
func sketchOf(tr *trace.Trace, th *trace.Thread, counts []int) saved.Thread {
	out := saved.Thread{ID: th.ID, Name: th.Name, Role: th.Role, Numbered: th.Numbered}
	if th.Process >= 0 {
		out.Process = tr.Processes[th.Process].Name
	}
	var met []trace.FuncID
	for _, fn := range th.Fn[:min(th.Len(), sketchedCalls)] {
		if counts[fn] == 0 {
			met = append(met, fn)
		}
		counts[fn]++
	}
	slices.SortStableFunc(met, func(x, y trace.FuncID) int { return cmp.Compare(counts[y], counts[x]) })
	for i, fn := range met {
		if i < sketchedRuns {
			out.Runs = append(out.Runs, saved.Ran{Function: tr.Functions[fn].Name, Times: min(counts[fn], mostSketchRuns)})
		}
		counts[fn] = 0
	}
	return out
}

// drawn makes a trace of sketches, which can be compared with another one.
func drawn(ctx context.Context, list []saved.Thread, like *trace.Trace) (*trace.Trace, error) {
	b := trace.NewBuilder("sketch")
	b.Kind, b.Unit, b.Symbols = like.Kind, like.Unit, like.Symbols
	for _, t := range list[:min(len(list), mostSketched)] {
		process := int32(-1)
		if t.Process != "" {
			process = b.Process(t.Process)
		}
		th := b.Thread(t.ID, process)
		th.SetName(t.Name)
		th.SetRole(t.Role, t.Numbered)
		at := int64(0)
		for _, r := range t.Runs[:min(len(t.Runs), sketchedRuns)] {
			fn := b.Function(trace.Function{Name: r.Function})
			for range min(r.Times, mostSketchRuns) {
				th.Complete(at, 1, fn)
				at++
			}
		}
	}
	return b.Build(ctx)
}

const heirsSlot = "heirs"

// seekHeirs looks for the threads that a session names in recordings that have changed since it was
// saved. It reports whether resume has to wait for that; it is called again then.
func (s *Session) seekHeirs(r *resuming, changed []pair.Side) bool {
	sketches, traces, rules := [2][]saved.Thread{}, s.state.traces(), s.Rules
	for _, side := range changed {
		sketches[side] = *r.file.Threads.On(int(side))
	}
	if r.sought || len(sketches[pair.A])+len(sketches[pair.B]) == 0 {
		return false
	}
	r.sought = true
	j := s.start(heirsSlot, "Finding the session's threads", func(ctx context.Context, _ *Job) func() {
		var heirs [2]*pair.Pair
		for side, list := range sketches {
			if len(list) == 0 {
				continue
			}
			if was, err := drawn(ctx, list, traces[side]); err == nil {
				heirs[side] = pair.New(was, traces[side], rules)
			}
		}
		return func() {
			for side := range heirs {
				if s.resuming == r && s.state.Sides[side].Trace == traces[side] {
					inherit(r.file, pair.Side(side), heirs[side])
				}
			}
			s.resume()
		}
	})
	j.finds = true
	return true
}
