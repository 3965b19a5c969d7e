package fleet

import (
	"fmt"
	"strings"

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
		said = o.waitsWords(p)
	case o == p.Change:
		said = o.factorWords(p.Unit, 0)
	case o.Kind == InTime && f.Diverse:
		said = o.factorWords(p.Unit, o.typical.Factor)
	case o.Kind == InTime:
		said = fmt.Sprintf("B takes %s as long as A %s, and no function most of it", geom.FormatRatio(o.Factor),
			o.change(p.Unit))
	case o.Kind == InSimilarity:
		said = fmt.Sprintf("the calls are %.3g %% similar, %.3g %% %s", 100*p.Similarity,
			100*o.typical.Similarity, o.median())
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
	if lost := p.lossWords(); lost != "" {
		said = strings.TrimSuffix(said, ".") + lost
	}
	return said
}

// Lossy reports whether parts of a run are missing from its trace, as in a file that was cut off.
func (p *Pair) Lossy() bool { return p.lossy() != "" }

// lossy returns the sides of which parts are missing, "" for none.
func (p *Pair) lossy() (sides string) {
	for side, trust := range [2]string{p.TrustA, p.TrustB} {
		if trust == trace.Lossy.String() {
			sides += "AB"[side : side+1]
		}
	}
	return sides
}

// lossWords says of which traces parts are missing: what differs may come from that.
func (p *Pair) lossWords() string {
	switch sides := p.lossy(); sides {
	case "":
		return ""
	case "AB":
		return "; parts of both traces are missing"
	default:
		return "; parts of trace " + sides + " are missing"
	}
}

// median says in which pair something is typical.
func (o *Outlier) median() string {
	if o.From == 0 {
		return "in the median pair"
	}
	return fmt.Sprintf("in the median pair of cluster %d", o.From)
}

// change says by how much time differs, and by how much it typically does.
func (o *Outlier) change(unit string) string {
	return fmt.Sprintf("(%s; %s %s)", signed(o.DeltaNs, unit), signed(o.MedianNs, unit), o.median())
}

// timesWords says how much longer a function takes.
func (o *Outlier) timesWords(unit string) string {
	change := o.change(unit)
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
