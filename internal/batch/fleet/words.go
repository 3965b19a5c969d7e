package fleet

import (
	"fmt"

	"diptych/internal/account/explain"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// sentence says how a pair is unlike the rest.
func (f *Fleet) sentence(p *Pair) string {
	o := p.Told()
	var said string
	switch {
	case o.Kind == InFunction:
		said = o.timesWords(p.Unit)
	case o.Kind == InWaits:
		said = f.waitsWords(p)
	case o == p.Change:
		said = o.factorWords(p.Unit, 0)
	case o.Kind == InTime && f.Diverse:
		said = o.factorWords(p.Unit, f.Median.Factor)
	case o.Kind == InTime:
		said = fmt.Sprintf("B takes %s as long as A (%s; %s in the median pair), and no function most of it",
			geom.FormatRatio(o.Factor), signed(o.DeltaNs, p.Unit), signed(o.MedianNs, p.Unit))
	case o.Kind == InSimilarity:
		said = fmt.Sprintf("the calls are %.3g %% similar, those of the median pair %.3g %%",
			100*p.Similarity, 100*f.Median.Similarity)
		if o.Function != "" && !f.Diverse {
			said += "; the first finding is in " + o.Function
		}
	}
	if o.Ns[pair.A] != o.Ns[pair.B] || o != p.Change {
		said += ", " + o.When.words(p.Unit)
	}
	if f.Diverse && o.finding != "" {
		said += "; " + o.finding
	}
	return said
}

// timesWords says how much longer a function takes.
func (o *Outlier) timesWords(unit string) string {
	change := fmt.Sprintf("(%s; %s in the median pair)", signed(o.DeltaNs, unit), signed(o.MedianNs, unit))
	does := "takes"
	if o.Waits {
		does = "waits"
	}
	switch {
	case o.Ns[pair.A] == 0 && o.Ns[pair.B] == 0:
		return fmt.Sprintf("%s takes no time on either side %s", o.Function, change)
	case o.Ns[pair.A] == 0:
		return fmt.Sprintf("%s is in B only %s", o.Function, change)
	case o.Ns[pair.B] == 0:
		return fmt.Sprintf("%s is in A only %s", o.Function, change)
	}
	return fmt.Sprintf("%s %s %s as long in B as in A %s", o.Function, does, geom.FormatRatio(o.Factor), change)
}

// words says when, in B's time.
func (w *When) words(unit string) string {
	if w.Whole {
		return "all along"
	}
	from, to := geom.FormatTwo(float64(w.FromNs[pair.B]), float64(w.ToNs[pair.B]), unit)
	return fmt.Sprintf("mostly from %s to %s of B", from, to)
}

func signed(v int64, unit string) string { return explain.Signed(v, trace.Unit(unit)) }
