package trend

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"diptych/internal/batch"
	"diptych/internal/progress"
)

// totals is how many series come before those of functions: elapsed time and work.
const totals = 2

// history is the series of all functions.
type history struct {
	Options
	list    []*batch.Directory
	commits []Commit
	unit    string
	fixedA  bool
	common  map[string]int // pairs that all commits have, by name, numbered by name
	leftOut []LeftOut
	pairOf  []map[int64]int // by commit and number in the manifest, of common pairs
	series  []*Series       // totals first
	of      map[string]*Series
	meter   *progress.Meter
}

// read reads all tables of pairs, and then all of functions.
func read(ctx context.Context, list []*batch.Directory, names []string, o Options) (*history, error) {
	h := &history{Options: o, list: list, fixedA: true, of: map[string]*Series{},
		series: []*Series{newSeries(Elapsed, "", len(list)), newSeries(Work, "", len(list))},
		meter:  progress.NewMeter(o.Report, 0)}
	h.meter.Expect(2 * int64(len(list)))
	tables := make([][]batch.PairRow, len(list))
	for k, d := range list {
		for rows, err := range table[batch.PairRow](d, "pairs") {
			if err != nil {
				return nil, err
			}
			tables[k] = append(tables[k], rows...)
		}
		h.commits = append(h.commits, commitOf(k, names[k], d, tables[k]))
		if err := h.meter.Add(ctx, 1); err != nil {
			return nil, err
		}
	}
	h.compareCommits(tables)
	h.join(tables)
	if len(h.common) == 0 {
		return nil, h.nothing()
	}
	if err := h.addPairs(tables); err != nil {
		return nil, err
	}
	for k := range list {
		if err := h.addFunctions(k); err != nil {
			return nil, err
		}
		if err := h.meter.Add(ctx, 1); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// table yields the rows of a table. Parts that are missing are missing pairs, and no error.
func table[T any](d *batch.Directory, name string) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		if _, err := os.Stat(d.Merged(name)); err == nil {
			batch.ReadTable[T](d.Merged(name))(yield)
			return
		}
		for part := range d.Parts() {
			for rows, err := range batch.ReadTable[T](filepath.Join(d.Part(part), name+".parquet")) {
				if errors.Is(err, fs.ErrNotExist) {
					break
				}
				if !yield(rows, err) || err != nil {
					return
				}
			}
		}
	}
}

func newSeries(kind Kind, function string, n int) *Series {
	return &Series{Kind: kind, Function: function, ANs: make([]int64, n), BNs: make([]int64, n)}
}

func commitOf(k int, name string, d *batch.Directory, rows []batch.PairRow) Commit {
	c := Commit{Number: k + 1, Name: name, Pairs: d.Pairs, Missing: d.Pairs - len(rows)}
	for _, row := range rows {
		if row.Error != "" {
			c.Failed++
		}
	}
	return c
}

// compareCommits says which commits are the same as one before, and which were compared otherwise
// than the first.
func (h *history) compareCommits(tables [][]batch.PairRow) {
	first := map[[sha256.Size]byte]int{}
	for k, rows := range tables {
		c := &h.commits[k]
		c.Differs = h.list[k].OptionsDiffer(&h.list[0].Description)
		if c.Failed == len(rows) {
			continue
		}
		sum := timesOf(rows)
		if first[sum] == 0 {
			first[sum] = c.Number
		} else {
			c.SameAs = first[sum]
		}
	}
}

// timesOf returns a checksum of the times of all pairs, in whatever order.
func timesOf(rows []batch.PairRow) (sum [sha256.Size]byte) {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(x, y batch.PairRow) int { return cmp.Compare(x.Pair, y.Pair) })
	h := sha256.New()
	for _, r := range rows {
		fmt.Fprintf(h, "%q %t %d %d %d %d %d %d\n", r.Pair, r.Error != "", r.CallsA, r.CallsB, r.ElapsedANs,
			r.ElapsedBNs, r.WorkANs, r.WorkBNs)
	}
	h.Sum(sum[:0])
	return sum
}

// join finds the pairs that all commits have, and says of all others where they are not.
func (h *history) join(tables [][]batch.PairRow) {
	compared, failed := map[string][]int{}, map[string][]int{}
	names := map[string]bool{}
	for k, rows := range tables {
		for _, row := range rows {
			names[row.Pair] = true
			if row.Error == "" {
				compared[row.Pair] = append(compared[row.Pair], k+1)
			} else {
				failed[row.Pair] = append(failed[row.Pair], k+1)
			}
		}
	}
	h.common = map[string]int{}
	for _, name := range slices.SortedFunc(maps.Keys(names), batch.Naturally) {
		if len(compared[name]) == len(tables) {
			h.common[name] = len(h.common)
			continue
		}
		out := LeftOut{Pair: name, Failed: append([]int{}, failed[name]...), Missing: []int{}}
		for k := range tables {
			if !slices.Contains(compared[name], k+1) && !slices.Contains(failed[name], k+1) {
				out.Missing = append(out.Missing, k+1)
			}
		}
		h.leftOut = append(h.leftOut, out)
	}
}

// nothing is the error if no pair is in all commits. It names the one with the fewest pairs.
func (h *history) nothing() error {
	least := slices.MinFunc(h.commits, func(x, y Commit) int {
		return cmp.Compare(x.Pairs-x.Failed-x.Missing, y.Pairs-y.Failed-y.Missing)
	})
	return fmt.Errorf("no pair was compared at all %d commits; the fewest, %d of %d, were at %s",
		len(h.commits), least.Pairs-least.Failed-least.Missing, least.Pairs, least.Name)
}

// addPairs adds up the totals, and checks that times can be added.
func (h *history) addPairs(tables [][]batch.PairRow) error {
	first := map[int]batch.PairRow{}
	for k, rows := range tables {
		h.pairOf = append(h.pairOf, map[int64]int{})
		for _, row := range rows {
			at, ok := h.common[row.Pair]
			if !ok {
				continue
			}
			if h.unit = cmp.Or(h.unit, row.Unit); row.Unit != h.unit {
				return fmt.Errorf("%s: the times of pair %s are in %s, those of others in %s: they cannot be added",
					h.commits[k].Name, row.Pair, row.Unit, h.unit)
			}
			h.pairOf[k][row.Number] = at
			was, seen := first[at]
			if !seen {
				first[at] = row
			} else if was.CallsA != row.CallsA || was.ElapsedANs != row.ElapsedANs || was.WorkANs != row.WorkANs {
				h.fixedA = false
			}
			h.series[0].add(k, row.ElapsedANs, row.ElapsedBNs)
			h.series[1].add(k, row.WorkANs, row.WorkBNs)
		}
	}
	return nil
}

// add adds a pair's times at a commit. A sum that does not fit is the largest or smallest int64:
// see Trend.TooLarge.
func (s *Series) add(k int, a, b int64) {
	s.ANs[k], s.BNs[k] = batch.Plus(s.ANs[k], a), batch.Plus(s.BNs[k], b)
}

// addFunctions adds up the functions of a commit.
func (h *history) addFunctions(k int) error {
	for rows, err := range table[batch.FunctionRow](h.list[k], "functions") {
		if err != nil {
			return err
		}
		for i := range rows {
			row := &rows[i]
			if _, ok := h.pairOf[k][row.Number]; !ok {
				continue
			}
			s := h.of[row.Function]
			if s == nil {
				s = newSeries(Function, row.Function, len(h.list))
				h.of[row.Function] = s
				h.series = append(h.series, s)
			}
			s.add(k, row.SelfANs, row.SelfBNs)
		}
	}
	return nil
}
