package batch

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/plural"
)

// By says which files of two runs are a pair.
type By uint8

const (
	ByName  By = iota // those with the same name below the folder where the patterns' stars begin
	ByRank            // those with the same number in their names: the last one that differs at all
	ByOrder           // the first of each, the second of each, …; numbers in names count as numbers
)

var byNames = []string{"name", "rank", "order"}

func (b By) String() string { return byNames[b] }

// ByNames are the names of all.
func ByNames() []string { return slices.Clone(byNames) }

// ParseBy returns the By of a name.
func ParseBy(name string) (By, error) {
	if k := slices.Index(byNames, name); k >= 0 {
		return By(k), nil
	}
	return 0, fmt.Errorf("%q: want %s", name, strings.Join(byNames, ", "))
}

// Plan is a manifest made of the files of two runs, and the files that are in no pair: those that
// found no partner, and those that a manifest cannot name.
type Plan struct {
	Manifest
	Alone   [2][]string
	Refused []Refused
}

// Refused is a file that a manifest cannot name, and why.
type Refused struct {
	File string
	Err  error
}

func (r Refused) Error() string { return fmt.Sprintf("%s: %v", r.File, r.Err) }

// NewPlan pairs the files that two patterns name (filepath.Match, folders included, as for
// uftrace). It fails if a pattern names none, if two files of a side have the same name or rank, or
// if there are no pairs.
func NewPlan(a, b string, by By) (*Plan, error) {
	var files [2][]string
	for side, pattern := range []string{a, b} {
		list, err := filepath.Glob(pattern)
		if err == nil && len(list) == 0 {
			err = errors.New("no file has such a name")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", pattern, err)
		}
		slices.SortFunc(list, Naturally)
		files[side] = list
	}
	p := new(Plan)
	if by == ByOrder {
		return p, p.pairOrder(files)
	}
	for side := range files {
		files[side] = slices.DeleteFunc(files[side], p.refuses)
	}
	if len(files[0]) == 0 || len(files[1]) == 0 {
		return nil, p.Refused[0]
	}
	return p, p.pairKeys(files, [2]string{a, b}, by)
}

// refuses reports whether a manifest cannot name a file, and notes it then.
func (p *Plan) refuses(file string) bool {
	err := nameable(file)
	if err != nil {
		p.Refused = append(p.Refused, Refused{file, err})
	}
	return err != nil
}

// pairOrder pairs the files in their order. Those that a manifest cannot name have their places in
// it, or all files behind them would be paired with others.
func (p *Plan) pairOrder(files [2][]string) error {
	if len(files[0]) != len(files[1]) {
		return fmt.Errorf("order pairs files only if both sides have as many: A has %s and B %s",
			plural.Of(len(files[0]), "file"), plural.Of(len(files[1]), "file"))
	}
	for k, a := range files[0] {
		b := files[1][k]
		switch noA, noB := p.refuses(a), p.refuses(b); {
		case noA && !noB:
			p.Alone[1] = append(p.Alone[1], b)
		case noB && !noA:
			p.Alone[0] = append(p.Alone[0], a)
		case !noA:
			p.Pairs = append(p.Pairs, Pair{fmt.Sprint(k + 1), a, b})
		}
	}
	if len(p.Pairs) == 0 {
		return p.Refused[0]
	}
	return nil
}

// pairKeys pairs files with the same key.
func (p *Plan) pairKeys(files [2][]string, patterns [2]string, by By) error {
	var keys [2][]string
	for side := range files {
		if keys[side] = relative(files[side], patterns[side]); by == ByRank {
			keys[side] = ranks(keys[side])
		}
	}
	other := map[string]string{}
	for k, key := range keys[1] {
		if first, twice := other[key]; twice {
			return sameKey(by, key, first, files[1][k])
		}
		other[key] = files[1][k]
	}
	taken := map[string]string{}
	for k, key := range keys[0] {
		if first, twice := taken[key]; twice {
			return sameKey(by, key, first, files[0][k])
		}
		taken[key] = files[0][k]
		if b, ok := other[key]; ok && key != "" {
			p.Pairs = append(p.Pairs, Pair{key, files[0][k], b})
		} else {
			p.Alone[0] = append(p.Alone[0], files[0][k])
		}
	}
	for k, key := range keys[1] {
		if taken[key] == "" || key == "" {
			p.Alone[1] = append(p.Alone[1], files[1][k])
		}
	}
	if len(p.Pairs) == 0 {
		return fmt.Errorf("no file of A has the %v of one of B, such as %q and %q", by, keys[0][0], keys[1][0])
	}
	return nil
}

func sameKey(by By, key, first, second string) error {
	return fmt.Errorf("%s and %s have the same %v, %s", first, second, by, cmp.Or(key, "none"))
}

// relative returns the files' names below the last folder that a pattern names without a star.
func relative(files []string, pattern string) []string {
	base := filepath.Dir(pattern)
	for strings.ContainsAny(base, `*?[\`) {
		base = filepath.Dir(base)
	}
	out := make([]string, len(files))
	for k, f := range files {
		name, err := filepath.Rel(base, f)
		if err != nil {
			name = f
		}
		out[k] = filepath.ToSlash(name)
	}
	return out
}

var digits = regexp.MustCompile(`\d+`)

// ranks returns the number in each name that is its rank, "" if it has none. Names may have
// several, as job-4711/rank-0003.json has: it is the last place in which the names of this run
// differ.
func ranks(names []string) []string {
	numbers := make([][]string, len(names))
	places := 0
	for k, name := range names {
		numbers[k] = digits.FindAllString(stem(name), -1)
		slices.Reverse(numbers[k])
		places = max(places, len(numbers[k]))
	}
	at := 0
	for ; at < places-1 && !differ(numbers, at); at++ {
	}
	out := make([]string, len(names))
	for k, of := range numbers {
		if at < len(of) {
			out[k] = cmp.Or(strings.TrimLeft(of[at], "0"), "0")
		}
	}
	return out
}

// stem returns a name without its extensions, since .lz4 or .bz2 is no rank.
func stem(name string) string {
	dir, base := filepath.Split(name)
	for {
		ext := filepath.Ext(base)
		if ext == "" || ext == base || digits.FindString(ext[1:]) == ext[1:] {
			return dir + base
		}
		base = strings.TrimSuffix(base, ext)
	}
}

// differ reports whether the numbers at a place, counted from the end, are not all the same.
func differ(numbers [][]string, at int) bool {
	first := ""
	for k, of := range numbers {
		value := ""
		if at < len(of) {
			value = of[at]
		}
		if k == 0 {
			first = value
		}
		if value != first {
			return true
		}
	}
	return false
}

// Naturally orders names as people do: rank9 comes before rank10.
func Naturally(x, y string) int {
	for a, b := x, y; ; {
		i, j := digits.FindStringIndex(a), digits.FindStringIndex(b)
		if i == nil || j == nil || a[:i[0]] != b[:j[0]] {
			return cmp.Or(strings.Compare(a, b), strings.Compare(x, y))
		}
		m, errM := strconv.ParseUint(a[i[0]:i[1]], 10, 64)
		n, errN := strconv.ParseUint(b[j[0]:j[1]], 10, 64)
		if errM != nil || errN != nil || m != n {
			return cmp.Or(cmp.Compare(m, n), strings.Compare(a, b), strings.Compare(x, y))
		}
		a, b = a[i[1]:], b[j[1]:]
	}
}
