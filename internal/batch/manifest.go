package batch

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"diptych/internal/output"
)

// Pair is one line of a manifest: two traces, and what they are called together.
type Pair struct {
	Name string
	A, B string // paths as the manifest has them
}

// Manifest lists the pairs of a batch.
type Manifest struct {
	Path  string
	Pairs []Pair
}

// The columns of a manifest, which its first line names. pair may be left out; others are ignored,
// so that a table with more about each pair can be a manifest.
const (
	pairColumn = "pair"
	aColumn    = "a"
	bColumn    = "b"
)

// standard stands for standard input, from which a manifest may come, and which several pairs
// cannot share.
const standard = "-"

var columnNames = []string{pairColumn, aColumn, bColumn}

// ReadManifest reads a manifest: CSV (RFC 4180) with a line of column names. A pair without a name
// is called by its number. An error names the file and the line.
func ReadManifest(path string) (*Manifest, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &output.Error{Path: path, Reason: "cannot open", Err: output.Cause(err)}
	}
	defer f.Close()
	m := &Manifest{Path: path}
	if err := m.read(f); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return m, nil
}

// ParseManifest reads a manifest that lies in no folder, as one from standard input: relative paths
// are those of the working directory. Errors call it by the name.
func ParseManifest(from io.Reader, name string) (*Manifest, error) {
	m := &Manifest{Path: standard}
	if err := m.read(from); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

func (m *Manifest) read(from io.Reader) error {
	lines := csv.NewReader(withoutMark(from))
	lines.ReuseRecord = true
	lines.FieldsPerRecord = -1 // columns.pair says better what a line lacks
	head, err := lines.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("it is empty; want a line of column names: pair,a,b")
	}
	if err != nil {
		return err
	}
	columns, err := columnsOf(head)
	if err != nil {
		return err
	}
	seen := map[string]int{}
	for {
		record, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		line, _ := lines.FieldPos(0)
		p, err := columns.pair(record, len(m.Pairs))
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if first, twice := seen[p.Name]; twice {
			return fmt.Errorf("line %d: pair %q was on line %d already", line, p.Name, first)
		}
		seen[p.Name] = line
		m.Pairs = append(m.Pairs, p)
	}
	if len(m.Pairs) == 0 {
		return errors.New("it lists no pairs")
	}
	return nil
}

// withoutMark skips the byte order mark that spreadsheets write first.
func withoutMark(from io.Reader) io.Reader {
	const mark = "\ufeff"
	r := bufio.NewReader(from)
	if first, err := r.Peek(len(mark)); err == nil && string(first) == mark {
		_, _ = r.Discard(len(mark)) // they are in its buffer
	}
	return r
}

// columns are the places of a manifest's columns in its lines, −1 for none, and how many columns
// there are.
type columns struct{ name, a, b, all int }

func columnsOf(head []string) (columns, error) {
	names := make([]string, len(head))
	for k, name := range head {
		names[k] = strings.TrimSpace(name)
		if slices.Contains(columnNames, names[k]) && slices.Contains(names[:k], names[k]) {
			return columns{}, fmt.Errorf("line 1: two columns are called %s", names[k])
		}
	}
	c := columns{slices.Index(names, pairColumn), slices.Index(names, aColumn),
		slices.Index(names, bColumn), len(names)}
	if c.a < 0 || c.b < 0 {
		return c, fmt.Errorf("line 1: columns %q; want pair,a,b, of which pair may be left out",
			strings.Join(names, ","))
	}
	return c, nil
}

// pair returns the pair of a line; number is counted from 0.
func (c columns) pair(record []string, number int) (Pair, error) {
	if len(record) != c.all {
		return Pair{}, fmt.Errorf("%d fields, but line 1 names %d columns", len(record), c.all)
	}
	name := ""
	if c.name >= 0 {
		name = record[c.name]
	}
	text := name + record[c.a] + record[c.b] // one allocation, without the other columns
	p := Pair{Name: text[:len(name)], A: text[len(name):][:len(record[c.a])], B: text[len(text)-len(record[c.b]):]}
	if p.Name == "" {
		p.Name = fmt.Sprint(number + 1)
	}
	return p, p.check()
}

func (p *Pair) check() error {
	switch {
	case p.A == "" || p.B == "":
		return errors.New("a side has no file")
	case p.A == standard || p.B == standard:
		return errors.New("standard input cannot be a side of a pair")
	case !utf8.ValidString(p.Name) || !utf8.ValidString(p.A) || !utf8.ValidString(p.B):
		return errors.New("text that is not UTF-8")
	}
	return p.checkLines()
}

func (p *Pair) checkLines() error {
	for _, text := range []string{p.Name, p.A, p.B} {
		if strings.Contains(text, lineEnd) {
			return fmt.Errorf("%q: %w", text, errLineEnd)
		}
	}
	return nil
}

// lineEnd is what a manifest cannot keep: a reader of CSV takes both ends of a line for the shorter
// one, so that a file would be looked for under another name.
const lineEnd = "\r\n"

var errLineEnd = errors.New("a manifest cannot keep a carriage return before a line feed")

// nameable returns why a manifest cannot name a file, or nil.
func nameable(path string) error {
	switch {
	case !utf8.ValidString(path):
		return errors.New("the name is not UTF-8, which a manifest has to be")
	case strings.Contains(path, lineEnd):
		return errLineEnd
	}
	return nil
}

// Resolve returns the paths of both sides; relative ones are looked for beside the manifest.
func (m *Manifest) Resolve(p Pair) [2]string {
	paths := [2]string{p.A, p.B}
	for side, path := range paths {
		if !filepath.IsAbs(path) {
			paths[side] = filepath.Join(filepath.Dir(m.Path), path)
		}
	}
	return paths
}

// MoveTo makes relative paths, which are those of the working directory, relative to a folder. It
// fails if the manifest cannot name such a path: it may lead through folders that no path named.
func (m *Manifest) MoveTo(dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for k := range m.Pairs {
		for _, path := range []*string{&m.Pairs[k].A, &m.Pairs[k].B} {
			if filepath.IsAbs(*path) {
				continue
			}
			whole, err := filepath.Abs(*path)
			if err != nil {
				return err
			}
			from, err := filepath.Rel(dir, whole)
			if err == nil {
				err = nameable(from)
			}
			if err != nil {
				return fmt.Errorf("%s, as %s from the manifest's folder: %w", *path, from, err)
			}
			*path = from
		}
	}
	return nil
}

// Write writes the manifest. It fails for a text that would be read again as another one.
func (m *Manifest) Write(to io.Writer) error {
	return m.writeAs(to, func(p Pair) (Pair, error) { return p, nil })
}

// writeAs writes the manifest with each pair as a function has it. It holds one line at a time:
// there may be a million.
func (m *Manifest) writeAs(to io.Writer, as func(Pair) (Pair, error)) error {
	w := csv.NewWriter(to)
	if err := w.Write(columnNames); err != nil {
		return err
	}
	line := make([]string, len(columnNames))
	for _, p := range m.Pairs {
		p, err := as(p)
		if err == nil {
			err = p.checkLines()
		}
		if err != nil {
			return err
		}
		line[0], line[1], line[2] = p.Name, p.A, p.B
		if err := w.Write(line); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}
