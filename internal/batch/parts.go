package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/parquet-go/parquet-go"

	"diptych/internal/output"
)

// The directory of a batch:
//
//	batch.json              what it is a batch of: see Description
//	manifest.csv            a copy of the manifest, with paths from here
//	blocking.rules          a copy of the file of rules for blocking functions, if one was given
//	parts/00000/            one for every PerPart pairs
//	    pairs.parquet  functions.parquet  findings.parquet  waits.parquet  timeline.parquet
//	pairs.parquet …         all parts together, once merged
//
// A part is written under another name and then renamed, so whoever sees it sees all of it.
const (
	describedBy = "batch.json"
	listedBy    = "manifest.csv"
	partsIn     = "parts"
)

// Tables are the names of a part's files, without their extension.
var Tables = []string{"pairs", "functions", "findings", "waits", "timeline"}

// layout is the version of the tables: parts of another one are not joined with these.
const layout = 1

// mostParts is how many parts a batch is divided into: directories with more entries are slow to
// list on the file systems that clusters share.
const mostParts = 10_000

// perPart returns how many pairs a part has: 1 up to 100 pairs, 10 of 10,000, 100 of a million. A
// part of one small pair is 29 KB, of which 23 KB are what five Parquet files say of themselves;
// ten pairs in a part need 8 KB each. But what is lost with a process that is killed is a part, and
// parts are what processes share. docs/batch.md has the figures.
func perPart(pairs int) int {
	n := int(math.Ceil(math.Sqrt(float64(pairs)) / 10))
	return max(1, n, (pairs+mostParts-1)/mostParts)
}

// Description says what a directory is a batch of. All processes that take shares of one must agree
// in it.
type Description struct {
	Layout   int               `json:"layout"`
	Pairs    int               `json:"pairs"`
	PerPart  int               `json:"perPart"`  // the last part may have fewer
	Manifest string            `json:"manifest"` // SHA-256 of the pairs
	Options  map[string]string `json:"options"`  // what else the result depends on: see Settings
}

// Describe returns what a batch of the manifest is.
func Describe(m *Manifest, options map[string]string) (Description, error) {
	h := sha256.New()
	if err := m.Write(h); err != nil {
		return Description{}, err
	}
	return Description{layout, len(m.Pairs), perPart(len(m.Pairs)),
		hex.EncodeToString(h.Sum(nil)), options}, nil
}

// Parts returns how many parts there are.
func (d *Description) Parts() int { return (d.Pairs + d.PerPart - 1) / d.PerPart }

// markedBy is the key of a file's metadata that says which batch it belongs to.
const markedBy = "diptych.batch"

// mark tells the files of this batch from those of another, such as one of the same pairs that
// another version has compared.
func (d *Description) mark() string {
	h := sha256.New()
	fmt.Fprintf(h, "%d %d %d %s", d.Layout, d.Pairs, d.PerPart, d.Manifest)
	for _, name := range slices.Sorted(maps.Keys(d.Options)) {
		fmt.Fprintf(h, " %q=%q", name, d.Options[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// span returns the pairs of a part.
func (d *Description) span(part int) (from, to int) {
	return part * d.PerPart, min((part+1)*d.PerPart, d.Pairs)
}

// difference says in what two batches differ; "" if they are the same.
func (d *Description) difference(o *Description) string {
	switch {
	case d.Pairs != o.Pairs:
		return fmt.Sprintf("%d and %d pairs", d.Pairs, o.Pairs)
	case d.Manifest != o.Manifest:
		return "the manifests differ"
	case d.Layout != o.Layout || d.PerPart != o.PerPart:
		return "the layouts differ"
	}
	return d.OptionsDiffer(o)
}

// OptionsDiffer says in what option, or version of the program, two batches differ; "" if in none.
func (d *Description) OptionsDiffer(o *Description) string {
	for _, name := range slices.Sorted(maps.Keys(d.Options)) {
		if _, both := o.Options[name]; !both {
			return fmt.Sprintf("%s is %q and not given", name, d.Options[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.Options)) {
		if x, both := d.Options[name]; !both {
			return fmt.Sprintf("%s is not given and %q", name, o.Options[name])
		} else if x != o.Options[name] {
			return fmt.Sprintf("%s is %q and %q", name, x, o.Options[name])
		}
	}
	return ""
}

// Directory is the directory of a batch.
type Directory struct {
	Path string
	Description
}

// OpenDirectory opens the directory of a batch that has been begun.
func OpenDirectory(path string) (*Directory, error) {
	name := filepath.Join(path, describedBy)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: it holds no batch: there is no %s", path, describedBy)
	}
	if st, statErr := os.Stat(path); err != nil && statErr == nil && !st.IsDir() {
		return nil, fmt.Errorf("%s: it holds no batch: it is not a directory", path)
	}
	if err != nil {
		return nil, err
	}
	d := &Directory{Path: path}
	if err := json.Unmarshal(text, &d.Description); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if d.Layout != layout || d.Pairs < 1 || d.PerPart < 1 {
		return nil, fmt.Errorf("%s: layout %d of %d pairs, %d a part: this program writes and reads layout %d",
			name, d.Layout, d.Pairs, d.PerPart, layout)
	}
	return d, nil
}

// Manifest reads the batch's own copy of its manifest, with paths from the directory.
func (d *Directory) Manifest() (*Manifest, error) {
	return ReadManifest(filepath.Join(d.Path, listedBy))
}

// begin makes the directory of a batch, or returns the one that another process has made. Several
// may begin at the same time: they write the same. Rules is the file of rules, nil for none.
func begin(path string, m *Manifest, want Description, rules []byte) (*Directory, error) {
	switch _, err := os.Stat(filepath.Join(path, describedBy)); {
	case errors.Is(err, fs.ErrNotExist):
		if err := found(path, m, want, rules); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, &output.Error{Path: path, Reason: "cannot open", Err: output.Cause(err)}
	}
	d := &Directory{path, want}
	return d, d.unchanged()
}

// unchanged returns an error if the directory holds another batch by now.
func (d *Directory) unchanged() error {
	now, err := OpenDirectory(d.Path)
	if err != nil {
		return err
	}
	if differ := now.difference(&d.Description); differ != "" {
		return fmt.Errorf("%s: it holds another batch (there and here: %s); choose another directory",
			d.Path, differ)
	}
	return nil
}

// found makes the directory of a batch. Its description comes last: where that is, all is.
func found(path string, m *Manifest, want Description, rules []byte) error {
	if err := mayHold(path, m); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(path, partsIn), 0o777); err != nil {
		return &output.Error{Path: path, Reason: "cannot create", Err: output.Cause(err)}
	}
	if err := keepManifest(path, m); err != nil {
		return err
	}
	if rules != nil {
		if err := writeFile(filepath.Join(path, rulesIn), func(w io.Writer) error {
			_, err := w.Write(rules)
			return err
		}); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(path, describedBy), func(w io.Writer) error {
		return json.MarshalWrite(w, &want, json.Deterministic(true), jsontext.WithIndent("  "))
	})
}

// mayHold returns an error if a batch must not be begun in a directory: because something else is
// in it, or because it lies in a trace that the batch reads. The first files of a batch may be
// there: another process may begin it now, or have been killed.
func mayHold(path string, m *Manifest) error {
	at := located(path)
	beside, err := filepath.Abs(filepath.Dir(m.Path)) // once, as there may be a million pairs
	if err != nil {
		return err
	}
	from := &Manifest{Path: filepath.Join(beside, filepath.Base(m.Path))}
	for _, p := range m.Pairs {
		for _, in := range from.Resolve(p) {
			if contains(in, at) {
				return fmt.Errorf("%s: it lies in %s, which the batch reads", path, in)
			}
		}
	}
	if located(m.Path) == filepath.Join(at, listedBy) {
		return fmt.Errorf("%s: the manifest would be replaced; choose another directory", path)
	}
	entries, err := os.ReadDir(path)
	for _, e := range entries {
		name := e.Name()
		if !beginsWith(name) {
			return fmt.Errorf("%s: it holds no batch, but %s: choose a new directory", path, name)
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &output.Error{Path: path, Reason: "cannot read", Err: output.Cause(err)}
	}
	return nil
}

// beginsWith reports whether a batch begins with a file of this name, or with one that is being
// written.
func beginsWith(name string) bool {
	return name == partsIn || slices.ContainsFunc([]string{listedBy, rulesIn, describedBy},
		func(file string) bool { return name == file || strings.HasPrefix(name, "."+file+".") })
}

// located returns the absolute path that a path leads to, also if it does not exist yet.
func located(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return filepath.Clean(path)
	}
	rest := ""
	for dir := at; ; dir = filepath.Dir(dir) {
		if target, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(target, rest)
		}
		if dir == filepath.Dir(dir) {
			return at
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

// contains reports whether a path is a directory or lies below it. Both are absolute.
func contains(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// keepManifest writes a copy of the manifest into the directory, in which relative paths are
// relative to it.
func keepManifest(path string, m *Manifest) error {
	from, to := located(filepath.Dir(m.Path)), located(path)
	return writeFile(filepath.Join(path, listedBy), func(w io.Writer) error {
		return m.writeAs(w, func(p Pair) (Pair, error) {
			for _, file := range []*string{&p.A, &p.B} {
				if filepath.IsAbs(*file) {
					continue
				}
				moved, err := filepath.Rel(to, filepath.Join(from, *file))
				if err != nil {
					return p, err
				}
				*file = moved
			}
			return p, nil
		})
	})
}

// writeFile writes a file, whole or not at all.
func writeFile(path string, write func(io.Writer) error) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	return f.Commit()
}

// Part returns the path of a part.
func (d *Directory) Part(part int) string {
	return filepath.Join(d.Path, partsIn, fmt.Sprintf("%05d", part))
}

// table returns the path of a table of a part.
func (d *Directory) table(part int, name string) string {
	return filepath.Join(d.Part(part), name+".parquet")
}

// Has reports whether a part is there.
func (d *Directory) Has(part int) (bool, error) {
	switch _, err := os.Stat(d.Part(part)); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, err
	}
}

// write writes a part.
func (d *Directory) write(part int, rows *Rows) error {
	to, err := output.CreateDirectory(d.Part(part))
	if err != nil {
		return err
	}
	defer to.Discard()
	for _, err := range []error{
		writeTable(to, "pairs", d.mark(), rows.Pairs),
		writeTable(to, "functions", d.mark(), rows.Functions),
		writeTable(to, "findings", d.mark(), rows.Findings),
		writeTable(to, "waits", d.mark(), rows.Waits),
		writeTable(to, "timeline", d.mark(), rows.Timeline),
	} {
		if err != nil {
			return to.Fail(err)
		}
	}
	return to.Commit()
}

func writeTable[T any](to *output.Directory, table, mark string, rows []T) error {
	f, err := os.Create(filepath.Join(to.Name, table+".parquet"))
	if err != nil {
		return err
	}
	defer f.Close()
	w := newWriter[T](f, mark)
	if _, err := w.Write(rows); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return f.Close()
}

// rowsPerGroup bounds what a writer holds: a group of rows is written when it is full. It is about
// as many as DuckDB has in its own.
const rowsPerGroup = 1 << 17

// newWriter writes a table of the batch with this mark. The bytes follow from the rows alone.
func newWriter[T any](to io.Writer, mark string) *parquet.GenericWriter[T] {
	return parquet.NewGenericWriter[T](to, parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("diptych", "", ""), parquet.DataPageStatistics(true),
		parquet.MaxRowsPerRowGroup(rowsPerGroup), parquet.KeyValueMetadata(markedBy, mark))
}
