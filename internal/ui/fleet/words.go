package fleet

import (
	"fmt"
	"strconv"

	"diptych/internal/batch/fleet"
	"diptych/internal/escape"
	"diptych/internal/geom"
	scene "diptych/internal/scene/fleet"
	"diptych/internal/ui/kit"
)

// The titles of the quantities on their buttons, and their names for assistive tools.
var (
	quantityTitles = [fleet.Quantities]string{"Dissimilarity", "Skew", "Waiting"}
	quantityNames  = [fleet.Quantities]string{"Colours: dissimilarity", "Colours: skew",
		"Colours: waiting"}
)

// limits says what the ends of the scale of a quantity mean.
func limits(q fleet.Quantity, of *scene.Quantity) (low, high string) {
	top := kit.Percent(of.Limit)
	if of.More {
		top = "≥ " + top
	}
	switch q {
	case fleet.Lag:
		return "B faster " + top, "B slower " + top
	case fleet.Waiting:
		return "A waits more " + top, "B waits more " + top
	}
	return "equal", top + " of the calls differ"
}

// value writes a quantity.
func value(q fleet.Quantity, v float64) string {
	size := kit.Percent(kit.Abs(v))
	switch {
	case q == fleet.Dissimilarity:
		return size + " of the calls differ"
	case q == fleet.Lag && v < 0:
		return "B gains " + size + " of the time"
	case q == fleet.Lag:
		return "B loses " + size + " of the time"
	case v < 0:
		return "A waits for " + size + " more of the time"
	}
	return "B waits for " + size + " more of the time"
}

// about says what a batch holds.
func (c *content) about() string {
	parts := []string{kit.Plural(len(c.Pairs), "pair")}
	if c.Diverse {
		parts = append(parts, "little in common")
	}
	if n := len(c.Clusters); n > 1 {
		text := kit.Plural(n, "cluster")
		if c.Large > 0 {
			text += fmt.Sprintf(", %d large", c.Large)
		}
		parts = append(parts, text)
	}
	if n := c.counted(outliers); n > 0 {
		parts = append(parts, kit.Plural(n, "outlier"))
	}
	if n := len(c.Failed); n > 0 {
		parts = append(parts, kit.Grouped(n)+" failed")
	}
	lossy := 0
	for k := range c.Pairs {
		if c.Pairs[k].Lossy() {
			lossy++
		}
	}
	if lossy > 0 {
		parts = append(parts, kit.Grouped(lossy)+" with parts missing")
	}
	if c.TooLarge > 0 {
		parts = append(parts, kit.Plural(c.TooLarge, "sum")+" too large for 64 bits")
	}
	return kit.Joined(parts...)
}

// pairName names a pair; manifests call ranks by their numbers.
func pairName(p *fleet.Pair) string {
	if _, err := strconv.Atoi(p.Pair); err == nil {
		return "Pair " + p.Pair
	}
	return escape.Line(p.Pair)
}

// unit is what the times of a pair are measured in.
func (c *content) unit(k int) string { return c.Pairs[k].Unit }

// tellPair names a pair and says what there is to tell of it.
func (c *content) tellPair(p *fleet.Pair) string {
	if o := p.Told(); o != nil {
		return pairName(p) + ": " + escape.Line(o.Text)
	}
	return pairName(p)
}

// explainPair says what is known of the pair of a row as a whole.
func (c *content) explainPair(row int) []string {
	k := c.Matrix.Pairs[row]
	p := &c.Pairs[k]
	lines := []string{c.tellPair(p)}
	lines = append(lines,
		fmt.Sprintf("A %s, B %s: %s", geom.FormatValue(float64(p.ElapsedANs), p.Unit),
			geom.FormatValue(float64(p.ElapsedBNs), p.Unit), kit.SignedValue(p.DeltaNs, p.Unit)),
		"similarity "+kit.Percent(p.Similarity))
	return append(append(lines, c.clusterOf(p)...), "click opens the pair")
}

// explainCell says what is known of a cell.
func (c *content) explainCell(s scene.Spot, q fleet.Quantity) []string {
	k := c.Matrix.Pairs[s.Row]
	p := &c.Pairs[k]
	a := c.grid.Area(s)
	if a == nil {
		return c.explainPair(s.Row)
	}
	n := float64(c.grid.Buckets)
	lines := []string{c.tellPair(p)}
	share := func(bucket int) float64 { return 100 * float64(bucket) / n }
	lines = append(lines,
		fmt.Sprintf("at %.1f %% of the run: %s", share(s.Bucket),
			value(q, c.Matrix.Row(q, s.Row)[s.Bucket])))
	for other := range fleet.Quantities {
		if other != q {
			lines = append(lines, value(other, c.Matrix.Row(other, s.Row)[s.Bucket]))
		}
	}
	lines = append(lines, fmt.Sprintf("area: %s, %.1f to %.1f %% of the run; on average %s",
		kit.Plural(a.ToRow-a.FromRow, "pair"), share(a.FromBucket), share(a.ToBucket),
		value(q, a.Means[q])))
	return append(append(lines, c.clusterOf(p)...), "click opens the pair at this time")
}

// clusterOf says in which cluster a pair is, where there are several.
func (c *content) clusterOf(p *fleet.Pair) []string {
	if len(c.Clusters) < 2 || p.Cluster < 0 {
		return nil
	}
	return []string{clusterName(p.Cluster) + ": " + c.clusterText(p.Cluster)}
}

func clusterName(k int) string { return fmt.Sprintf("Cluster %d", k+1) }

// clusterText says how many pairs a cluster has, and what sets it apart.
func (c *content) clusterText(k int) string {
	x := &c.Clusters[k]
	text := kit.Plural(len(x.Pairs), "pair")
	if k < c.Large {
		text += " (large)"
	}
	if c.Diverse {
		return text + ", B − A on average " + signedPercent(x.MeanShare) + " of the run"
	}
	if x.Function == "" {
		return text
	}
	return text + ", " + kit.SignedValue(int64(x.OffNs), c.unit(x.Middle)) + " in " +
		escape.Line(x.Function) + " against the median pair"
}

// functionText says how a function differs over all pairs, and how much it varies among them.
func (c *content) functionText(f *fleet.Function) string {
	unit := c.unit(f.Worst)
	if f.Pairs == 1 && len(c.Compared) > 1 {
		return "in " + pairName(&c.Pairs[f.Worst]) + " only"
	}
	in := ""
	if f.Pairs < len(c.Compared) {
		in = fmt.Sprintf("in %s of %s pairs: ", kit.Grouped(f.Pairs), kit.Grouped(len(c.Compared)))
	}
	return in + fmt.Sprintf("median %s, half of the pairs from %s to %s; most in %s: %s",
		signed(f.MedianNs, unit), signed(f.Q1Ns, unit), signed(f.Q3Ns, unit),
		pairName(&c.Pairs[f.Worst]), kit.SignedValue(c.worst(f), unit))
}

// worst returns the largest change of a function in any pair, with its sign.
func (c *content) worst(f *fleet.Function) int64 {
	if -f.MinNs > f.MaxNs {
		return f.MinNs
	}
	return f.MaxNs
}

// signedPercent writes a share with its sign.
func signedPercent(v float64) string {
	switch text := kit.Percent(kit.Abs(v)); {
	case v < 0:
		return "−" + text
	case v > 0:
		return "+" + text
	default:
		return text
	}
}

func signed(v float64, unit string) string { return kit.SignedValue(int64(v), unit) }
