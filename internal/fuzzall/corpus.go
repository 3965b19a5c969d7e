package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"diptych/internal/fuzzall/seeds"
)

// Bounds of a corpus. Its inputs run in every `go test`, and lie in the repository for good.
const (
	mostInputs   = 13       // of a target
	largestInput = 32 << 10 // bytes as Go writes it, where a byte that is no letter takes four
	mostTried    = 1000     // the smallest of a target's inputs
)

// enrich adds inputs to the corpora of all targets of the packages, and prints a line about each.
// It removes none: an input that is there may be one that once failed.
func enrich(ctx context.Context, _ options, patterns []string) error {
	total := 0
	fmt.Printf("%-22s %6s %6s %6s %8s %7s %7s\n", "target", "tried", "there", "added", "bytes", "reach", "of")
	err := each(ctx, patterns, func(p *programs, t target) error {
		g, err := p.enrich(ctx, t)
		total += g.bytes
		fmt.Printf("%-22s %6d %6d %6d %8d %7d %7d\n", t, g.tried, g.there, g.added, g.bytes, g.reach, g.of)
		return err
	})
	fmt.Printf("%-22s %29d\n", "all", total)
	return err
}

// growth says what became of a corpus.
type growth struct {
	tried     int // inputs of the cache
	there     int // inputs in testdata before
	added     int
	bytes     int // of those that were there and those that were added
	reach, of int // blocks of code that the target reaches now, and would by all that were tried
}

// failures returns the directory where go test looks for the inputs of a target, and to which it
// writes one that fails.
func (t target) failures() string { return filepath.Join(t.dir, "testdata", "fuzz", t.name) }

// kept returns the file with the inputs that were kept of those that fuzzing found.
func (t target) kept() string { return seeds.File(t.dir, t.name) }

// corpus returns the inputs that testdata has for a target.
func (t target) corpus() ([]input, error) {
	failures, err := inputsIn(t.failures())
	if err != nil {
		return nil, err
	}
	kept, err := seeds.Read(t.kept())
	if err != nil {
		return nil, err
	}
	for _, text := range kept {
		failures = append(failures, input{path: filepath.Join(t.kept(), nameOf(text)), size: len(text)})
	}
	return failures, nil
}

// nameOf returns the name that Go gives the file of an input, in its cache and in testdata.
func nameOf(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:16] }

// enrich adds to a target's file of inputs those of the cache that reach what no seed reaches.
func (p *programs) enrich(ctx context.Context, t target) (g growth, err error) {
	there, err := t.corpus()
	if err != nil {
		return g, err
	}
	found, err := inputsIn(filepath.Join(p.cache, t.pkg, t.name))
	if err != nil {
		return g, err
	}
	found = candidates(found, there)
	known, err := p.measure(ctx, t, found)
	if err != nil {
		return g, err
	}
	chosen := choose(found, known, mostInputs-len(there))
	if err := keep(t.kept(), chosen); err != nil {
		return g, err
	}
	g = growth{tried: len(found), there: len(there), added: len(chosen)}
	for _, in := range slices.Concat(there, chosen) {
		g.bytes += in.size
	}
	g.reach, g.of = len(known.with(chosen)), len(known.with(found))
	return g, nil
}

// candidates returns those of the found inputs that are small and not in the corpus.
func candidates(found, there []input) []input {
	known := map[string]bool{}
	for _, in := range there {
		known[in.name()] = true
	}
	found = slices.DeleteFunc(found, func(in input) bool {
		return in.size > largestInput || known[in.name()]
	})
	return found[:min(len(found), mostTried)]
}

// input is an input of a target.
type input struct {
	path    string // of its file; where it lies in one with others, that file's and its name
	size    int
	reached reached
}

func (in input) name() string { return filepath.Base(in.path) }

// inputsIn returns the inputs in a directory, the smallest first. No directory, no inputs.
func inputsIn(dir string) (all []input, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		all = append(all, input{path: filepath.Join(dir, e.Name()), size: int(info.Size())})
	}
	slices.SortStableFunc(all, func(x, y input) int { return cmp.Compare(x.size, y.size) })
	return all, nil
}

// keep adds inputs to a file of seeds.
func keep(path string, inputs []input) error {
	if len(inputs) == 0 {
		return nil
	}
	all, err := seeds.Read(path)
	if err != nil {
		return err
	}
	for _, in := range inputs {
		text, err := os.ReadFile(in.path)
		if err != nil {
			return err
		}
		if _, err := seeds.Parse(string(text)); err != nil {
			return fmt.Errorf("%s: %w", in.path, err)
		}
		all = append(all, string(text))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(strings.Join(all, "")), 0o666)
}

// choose returns the inputs that are worth keeping, given in order of size, what is reached without
// them, and how many to keep at most. One is worth it if it reaches what neither that nor a smaller
// input reaches. Those that add the most blocks come first, then those that add the most counts.
func choose(inputs []input, known reached, most int) []input {
	type worth struct {
		input
		blocks, counts int
	}
	var kept []worth
	seen := known.with(nil)
	for _, in := range inputs {
		if blocks, counts := seen.add(in.reached); counts > 0 {
			kept = append(kept, worth{in, blocks, counts})
		}
	}
	slices.SortStableFunc(kept, func(x, y worth) int {
		return cmp.Or(cmp.Compare(y.blocks, x.blocks), cmp.Compare(y.counts, x.counts))
	})
	var chosen []input
	for _, w := range kept[:min(len(kept), max(most, 0))] {
		chosen = append(chosen, w.input)
	}
	return chosen
}
