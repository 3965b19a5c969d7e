package fleetpage

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/account/explain"
	"diptych/internal/batch/fleet"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/report/page"
	"diptych/internal/trace"
	"diptych/internal/wait/table"
)

// mostListed is how many rows a table has at most.
const mostListed = 1000

func words(text string) page.Cell { return page.Cell{Text: escape.Line(text)} }

func number(n int64) page.Cell {
	return page.Cell{Text: geom.FormatWhole(n), Key: strconv.FormatInt(n, 10)}
}

func (b *builder) signed(v float64) string {
	return explain.Signed(int64(math.Round(v)), trace.Unit(b.unit))
}

// amount is a time.
func (b *builder) amount(v float64) page.Cell {
	return page.Cell{Text: b.value(math.Round(v)), Key: strconv.FormatFloat(v, 'f', 0, 64)}
}

// change is B − A.
func (b *builder) change(v float64) page.Cell {
	return page.Cell{Text: b.signed(v), Key: strconv.FormatFloat(v, 'f', 0, 64)}
}

func texts(titles ...string) (list []page.Column) {
	for _, t := range titles {
		list = append(list, page.Column{Title: t})
	}
	return list
}

func numbers(titles ...string) (list []page.Column) {
	for _, t := range titles {
		c := page.Column{Title: t, Number: true}
		if side := t[len(t)-1:]; side == "A" || side == "B" {
			c.Of = side
		}
		list = append(list, c)
	}
	return list
}

// sized are numbers that are sorted by their size.
func sized(titles ...string) (list []page.Column) {
	for _, t := range titles {
		list = append(list, page.Column{Title: t, Number: true, Size: true})
	}
	return list
}

// limit leaves out rows that there is no room for.
func limit(t *page.Table) page.Table {
	if t.More = max(len(t.Rows)-mostListed, 0); t.More > 0 {
		t.Rows = t.Rows[:mostListed]
	}
	return *t
}

// clusterTable lists the clusters.
func (b *builder) clusterTable() page.Table {
	if b.f.Diverse {
		return b.diverseClusters()
	}
	t := page.Table{ID: "clusters", Title: "Clusters", Sorted: 1,
		About: "Pairs that differ in the same way: the same functions change, at the same times.",
		Columns: slices.Concat(texts("Cluster"), numbers("Pairs"), sized("Mean B − A"),
			texts("Function that sets it apart"), sized("Its mean B − A", "Less that of the median pair"),
			texts("When", "Which")),
		Empty: "No pair could be compared."}
	for k := range b.f.Clusters {
		c := &b.f.Clusters[k]
		row := []page.Cell{words(b.clusterName(k)), number(int64(len(c.Pairs))), b.change(c.MeanDeltaNs)}
		if c.Function == "" {
			row = append(row, words("none"), page.Cell{Text: "–", Key: "0"}, page.Cell{Text: "–", Key: "0"})
		} else {
			row = append(row, words(page.Shortened(c.Function)), b.change(c.MeanNs), b.change(c.OffNs))
		}
		t.Rows = append(t.Rows, append(row, words(b.when(&c.When)), words(b.members(c.Pairs))))
	}
	return limit(&t)
}

// clusterName says which cluster it is, and whether it is one of several large ones.
func (b *builder) clusterName(k int) string {
	if k < b.f.Large {
		return fmt.Sprintf("cluster %d, large", k+1)
	}
	return fmt.Sprint("cluster ", k+1)
}

// diverseClusters lists the clusters of pairs that last differently long: a mean of their times
// says nothing, and no function sets them apart.
func (b *builder) diverseClusters() page.Table {
	t := page.Table{ID: "clusters", Title: "Clusters", Sorted: 1,
		About:   "Pairs that differ in the same way: they fall behind at the same shares of their time.",
		Columns: slices.Concat(texts("Cluster"), numbers("Pairs"), sized("Mean B − A, % of the run"), texts("Which")),
		Empty:   "No pair could be compared."}
	for k := range b.f.Clusters {
		c := &b.f.Clusters[k]
		t.Rows = append(t.Rows, []page.Cell{words(b.clusterName(k)), number(int64(len(c.Pairs))),
			{Text: strings.Replace(fmt.Sprintf("%+.3g %%", 100*c.MeanShare), "-", "−", 1),
				Key: fmt.Sprintf("%.6f", c.MeanShare)}, words(b.members(c.Pairs))})
	}
	return limit(&t)
}

func (b *builder) when(w *fleet.When) string {
	if w.Whole {
		return "all along"
	}
	from, to := geom.FormatTwo(float64(w.FromNs[pair.B]), float64(w.ToNs[pair.B]), b.unit)
	return fmt.Sprintf("%s to %s of B", from, to)
}

// mostMembers is how many runs of pairs of a cluster are named.
const mostMembers = 12

// members names pairs; those that follow one another in the manifest by the first and the last.
func (b *builder) members(list []int) string {
	var said []string
	for from := 0; from < len(list); {
		to := from
		for to+1 < len(list) && list[to+1] == list[to]+1 {
			to++
		}
		if len(said) == mostMembers {
			return strings.Join(said, ", ") + fmt.Sprintf(" and %d more", len(list)-from)
		}
		text := b.f.Pairs[list[from]].Pair
		if to > from {
			text += " … " + b.f.Pairs[list[to]].Pair
		}
		said, from = append(said, text), to+1
	}
	return strings.Join(said, ", ")
}

// functionTable lists functions by how much they differ over all pairs.
func (b *builder) functionTable() page.Table {
	t := page.Table{ID: "functions", Title: "Functions", Sorted: 3, Drawn: "Spread",
		About: "Self time, B − A, over all pairs that have the function. The picture goes from the least to the " +
			"most, with a box from the first quartile to the third, a bar at the median and a dashed line at 0.",
		Columns: slices.Concat(texts("Function", "Does"), numbers("Pairs", "Sum of sizes"), sized("Sum", "Mean"),
			numbers("Standard deviation", "Least", "1st quartile", "Median", "3rd quartile", "Most"), texts("Largest in")),
		Empty: "There are no functions."}
	for k := range b.f.Functions {
		f := &b.f.Functions[k]
		does := "work"
		if f.Waits {
			does = "waits"
		}
		t.Rows = append(t.Rows, []page.Cell{words(page.Shortened(f.Name)), words(does), number(int64(f.Pairs)),
			b.amount(float64(f.ChangeNs)), b.change(float64(f.DeltaNs)), b.change(f.MeanNs), b.amount(f.SDNs),
			b.change(float64(f.MinNs)), b.change(f.Q1Ns), b.change(f.MedianNs), b.change(f.Q3Ns),
			b.change(float64(f.MaxNs)), words(b.f.Pairs[f.Worst].Pair)})
		t.Drawings = append(t.Drawings, spread(f))
	}
	out := limit(&t)
	out.More += b.f.Left
	return out
}

// waitTable lists who waited for what, on whom.
func (b *builder) waitTable() page.Table {
	t := page.Table{ID: "waits", Title: "Waits", Sorted: 8,
		About: "Who waited for what, on whom, over all pairs.",
		Columns: slices.Concat(texts("Who waited ← who ended it", "For"), numbers("Pairs", "Waits A", "Waits B",
			"Time A", "Time B"), sized("Time B − A"), numbers("Sum of sizes"), texts("Largest in")),
		Empty: "No call is known to wait."}
	for k := range b.f.Waits {
		w := &b.f.Waits[k]
		who := w.Waiter + " ← " + cmp.Or(w.Releaser, table.Nobody)
		t.Rows = append(t.Rows, []page.Cell{words(who), words(w.Object), number(int64(w.Pairs)),
			number(w.Count[pair.A]), number(w.Count[pair.B]), b.amount(float64(w.WaitNs[pair.A])),
			b.amount(float64(w.WaitNs[pair.B])), b.change(float64(w.DeltaNs())), b.amount(float64(w.ChangeNs)),
			words(b.f.Pairs[w.Worst].Pair)})
	}
	return limit(&t)
}

// pairTable lists all pairs, outliers first.
func (b *builder) pairTable() page.Table {
	t := page.Table{ID: "pairs", Title: "Pairs", Sorted: 2,
		About: "All pairs that were compared. The score says how far a pair is unlike the rest, by what it " +
			"does or only by how it waits; 0 for pairs like the others.",
		Columns: slices.Concat(texts("Pair"), numbers("Number", "Score", "Cluster", "Time A", "Time B"),
			sized("Time B − A", "Work B − A", "Waits B − A"), numbers("Similarity", "Explained"),
			texts("Unlike the rest in")),
		Empty: "No pair could be compared."}
	if b.f.Diverse {
		t.About = "All pairs that were compared, the outliers first, then those of which most is explained. The " +
			"score is that of the outliers, 0 for the others."
		t.Columns[len(t.Columns)-1].Title = "What differs"
	}
	order := slices.Clone(b.f.Compared)
	slices.SortStableFunc(order, func(x, y int) int {
		p, q := &b.f.Pairs[x], &b.f.Pairs[y]
		return cmp.Or(cmp.Compare(q.Score(), p.Score()), cmp.Compare(q.Changed(), p.Changed()))
	})
	for _, k := range order {
		t.Rows = append(t.Rows, b.pairRow(&b.f.Pairs[k]))
	}
	return limit(&t)
}

func (b *builder) pairRow(p *fleet.Pair) []page.Cell {
	score, why := page.Cell{Text: "0", Key: "0"}, ""
	if o := p.Outlier; o != nil {
		score = page.Cell{Text: fmt.Sprintf("%.1f %%", o.Score), Key: fmt.Sprintf("%.4f", o.Score)}
		why = o.Text
	} else if p.Change != nil {
		why = p.Change.Text
	}
	percent := func(v float64) page.Cell {
		return page.Cell{Text: fmt.Sprintf("%.3g %%", 100*v), Key: fmt.Sprintf("%.6f", v)}
	}
	return []page.Cell{words(p.Pair), number(p.Number), score, number(int64(p.Cluster + 1)),
		b.amount(float64(p.ElapsedANs)), b.amount(float64(p.ElapsedBNs)), b.change(float64(p.DeltaNs)),
		b.change(float64(p.DeltaWorkNs)), b.change(float64(p.WaitBNs - p.WaitANs)), percent(p.Similarity),
		percent(p.Explained), words(why)}
}

// failedTable lists the pairs that could not be compared.
func (b *builder) failedTable() page.Table {
	t := page.Table{ID: "failed", Title: "Failed", Sorted: -1, About: "Pairs that could not be compared, and why.",
		Columns: slices.Concat(texts("Pair"), numbers("Number"), texts("Error", "Trace of A", "Trace of B"))}
	for _, k := range b.f.Failed {
		p := &b.f.Pairs[k]
		message, _, _ := strings.Cut(p.Error, "\n") // behind which a stack may follow
		t.Rows = append(t.Rows, []page.Cell{words(p.Pair), number(p.Number), words(message), words(p.A), words(p.B)})
	}
	return limit(&t)
}
