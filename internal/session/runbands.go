package session

import (
	"context"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/scene/aligned"
	"diptych/internal/trace"
	"diptych/internal/wait"
	"diptych/internal/wait/table"
)

// How far the other runs of a side are from the run that is shown. Each of them is loaded again,
// one after the other, and paired with the one shown.

// bandKey is what a band of the skew depends on.
type bandKey struct {
	runs    *Runs
	pair    *pair.Pair
	current int    // index of the pair of threads
	shown   [2]int // runs, by side
}

// skewBand is how far other runs are from those that are shown, along the pair of threads of a
// pane.
var skewBand = Result[bandKey, *aligned.Band]{
	Slot: "skew of runs", Label: "Aligning the other runs", PerPane: true,
	Key: func(st *State) (k bandKey, ok bool) {
		if st.Runs == nil || st.View != Alignment || st.Shown() == nil {
			return k, false
		}
		return bandKey{st.Runs, st.Pair, st.Current, [2]int{st.ShownRun(pair.A), st.ShownRun(pair.B)}}, true
	},
	Find: findBand,
}

// SkewBand returns how far other runs are from those that are shown, or nil while that is not
// known.
func (st *State) SkewBand() *aligned.Band {
	b, _ := skewBand.Of(st)
	return b
}

// bandSamples is how many moments of the shown thread a band has values for.
const bandSamples = 512

func findBand(ctx context.Context, of bandKey, report progress.Func) (*aligned.Band, error) {
	b := &aligned.Band{}
	err := of.runs.each(ctx, report, of.shown, func(side pair.Side, t *trace.Trace, _ string) error {
		here := of.pair.Trace(side)
		th := of.pair.Threads[of.current].On(side)
		if th < 0 {
			return nil
		}
		p := pair.New(here, t, of.runs.Rules)
		other := p.Partner(pair.A, th)
		if other < 0 || t.Threads[other].Len() == 0 || here.Threads[th].Len() == 0 {
			return nil // this run has no such thread
		}
		r, err := align.Align(ctx, p, th, other, align.Options{Strict: of.runs.Strict}, nil)
		if err != nil {
			return err
		}
		v, err := r.Virtual(ctx)
		if err != nil {
			return err
		}
		widen(b, side, v)
		return nil
	})
	return b, err
}

// widen takes another run into the band of a side, aligned with the one that is shown.
func widen(b *aligned.Band, side pair.Side, v *align.Virtual) {
	if b.Low[side] == nil {
		b.Low[side], b.High[side] = make([]int64, bandSamples), make([]int64, bandSamples)
	}
	from, to := v.Threads[pair.A].Span()
	for k := range bandSamples {
		at := from + (to-from)*int64(k)/(bandSamples-1)
		longer := -v.Skew(v.At(pair.A, at))
		b.Low[side][k] = min(b.Low[side][k], longer)
		b.High[side][k] = max(b.High[side][k], longer)
	}
}

// otherWaits is what the waits of other runs depend on.
type otherWaits struct {
	runs  *Runs
	shown [2]int
	of    analysed
}

// waitsOfRuns is how long threads waited in the other runs.
var waitsOfRuns = Result[otherWaits, *table.Runs]{
	Slot: "waits of runs", Label: "Comparing the waits of all runs",
	Key: func(st *State) (k otherWaits, ok bool) {
		of := st.analysed()
		if of.pair == nil || st.Runs == nil || !st.Shows(Threads) {
			return k, false
		}
		return otherWaits{st.Runs, [2]int{st.ShownRun(pair.A), st.ShownRun(pair.B)}, of}, true
	},
	Find: func(ctx context.Context, k otherWaits, report progress.Func) (*table.Runs, error) {
		all := table.NewRuns()
		err := k.runs.each(ctx, report, k.shown, func(side pair.Side, t *trace.Trace, _ string) error {
			here := k.of.sides[side]
			if here == nil {
				return nil
			}
			w, err := wait.Find(ctx, t, nil)
			if err != nil {
				return err
			}
			c, err := wait.Compare(ctx, here, w, pair.New(here.Trace, t, k.runs.Rules))
			if err == nil {
				all.Add(side, c)
			}
			return err
		})
		return all, err
	},
}
