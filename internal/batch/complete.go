package batch

import (
	"fmt"
	"slices"
	"strings"
)

// Missing returns the parts that are not there, in their order.
func (d *Directory) Missing() (parts []int, err error) {
	for part := range d.Parts() {
		there, err := d.Has(part)
		if err != nil {
			return nil, err
		}
		if !there {
			parts = append(parts, part)
		}
	}
	return parts, nil
}

// Incomplete says that parts are missing.
type Incomplete struct {
	*Directory
	Missing []int // parts, in their order
}

func (e *Incomplete) Error() string {
	parts, pairs := e.Ranges()
	return fmt.Sprintf("%s: the batch is not complete: missing %d of %d parts: %s (pairs %s)",
		e.Path, len(e.Missing), e.Parts(), listRanges(parts), listRanges(pairs))
}

// Ranges returns the missing parts, counted from 0, and their pairs, counted from 1, as ranges from
// the first to the last.
func (e *Incomplete) Ranges() (parts, pairs [][2]int) {
	for _, part := range e.Missing {
		from, to := e.span(part)
		if n := len(parts); n > 0 && parts[n-1][1] == part-1 {
			parts[n-1][1], pairs[n-1][1] = part, to
			continue
		}
		parts = append(parts, [2]int{part, part})
		pairs = append(pairs, [2]int{from + 1, to})
	}
	return parts, pairs
}

// Shards returns which of so many shards the missing parts belong to.
func (e *Incomplete) Shards(of int) (all []Shard) {
	for _, part := range e.Missing {
		all = append(all, Shard{part%of + 1, of})
	}
	slices.SortFunc(all, func(x, y Shard) int { return x.Index - y.Index })
	return slices.Compact(all)
}

// mostRanges is how many ranges an error lists.
const mostRanges = 10

// listRanges writes ranges: 3-4, 7.
func listRanges(all [][2]int) string {
	var texts []string
	for _, r := range all[:min(len(all), mostRanges)] {
		text := fmt.Sprint(r[0])
		if r[1] > r[0] {
			text = fmt.Sprintf("%d-%d", r[0], r[1])
		}
		texts = append(texts, text)
	}
	if len(all) > mostRanges {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}

// Damaged says which files of a batch cannot be read as what they should be. Removing their parts
// and running the batch again with Resume makes them anew.
type Damaged struct {
	*Directory
	Files []Fault
}

// Fault is what is wrong with a file of a part.
type Fault struct {
	Part int
	Path string
	Err  error
}

func (e *Damaged) Error() string {
	return fmt.Sprintf("%s: files of parts that are damaged or of another batch: %d; the first is %s: %v",
		e.Path, len(e.Files), e.Files[0].Path, e.Files[0].Err)
}

func (e *Damaged) Unwrap() error { return e.Files[0].Err }
