package tracefile

import (
	"context"
	"io"
	"os"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// readTrace returns the trace in a file that writeTrace has written, its note, and the file's
// content, over which the columns lie. The file must not be changed as long as the process lives,
// which may look at it at any time; it may be removed. All sums are checked, and all that could
// lead astray who looks at the trace: an error that is no error of the file system says that the
// file is damaged, or of another version or machine. Before it reads all of the file, it has the
// preview shown, if there is one and show is not nil.
func readTrace(f *os.File, show func(trace.Glimpse)) (tr *trace.Trace, note, body []byte, err error) {
	if body, err = contentToCheck(f, show); err != nil {
		return nil, nil, nil, err
	}
	// A file that is cut while it is checked is damaged like any other.
	if p := progress.Try(func() { tr, note, err = decode(body) }); p != nil {
		return nil, nil, nil, damage("it changes while it is read: %v", p.Value)
	}
	return tr, note, body, err
}

// contentToCheck returns the content of a file that fits at first sight, mapped.
func contentToCheck(f *os.File, show func(trace.Glimpse)) ([]byte, error) {
	st, err := f.Stat()
	if err != nil {
		return nil, err
	}
	n := st.Size()
	if n < int64(trailerLen) || n != int64(int(n)) {
		return nil, damage("%d bytes", n)
	}
	last := alignedBytes(trailerLen) // read, not mapped: most files that do not fit show it here
	if _, err := f.ReadAt(last, n-int64(trailerLen)); err != nil && err != io.EOF {
		return nil, err
	}
	if err := fits(last, n); err != nil {
		return nil, err
	}
	if show != nil {
		showPreview(f, trailerOf(last), show)
	}
	return content(f, int(n))
}

// fits checks that a trailer is that of a file of n bytes that this program can read.
func fits(last []byte, n int64) error {
	t := trailerOf(last)
	switch {
	case t.magic != magic || t.version != Version || t.machine != machine():
		return damage("of another form")
	case t.length != uint64(n) || t.texts > t.outline || t.outline > t.end || t.end > uint64(n):
		return damage("length")
	}
	if t.end+(t.end+block-1)/block*8 != t.preview || t.preview > uint64(n)-uint64(trailerLen) ||
		(t.texts|t.outline|t.end)%alignment != 0 {
		return damage("places")
	}
	return nil
}

// decode returns the trace in a file that is in memory, whose columns it keeps.
func decode(file []byte) (tr *trace.Trace, note []byte, err error) {
	t, err := verify(file)
	if err != nil {
		return nil, nil, err
	}
	return build(file[:t.texts], file[t.texts:t.outline], file[t.outline:t.end])
}

// verify checks all sums of a file that is in memory, and returns its trailer.
func verify(file []byte) (*trailer, error) {
	n := len(file)
	if n < trailerLen || n%alignment != 0 {
		return nil, damage("%d bytes", n)
	}
	last := file[n-trailerLen:]
	if err := fits(last, int64(n)); err != nil {
		return nil, err
	}
	t := trailerOf(last)
	if xxh3.Hash(file[t.end:n-8]) != t.sum {
		return nil, damage("sum of the trailer")
	}
	sums, _ := columnOver[uint64](file[t.end:t.preview])
	return t, inParallel(len(sums), func(i int) error {
		if xxh3.Hash(file[i*block:min((i+1)*block, int(t.end))]) != sums[i] {
			return damage("sum of block %d", i)
		}
		return nil
	})
}

// build makes the trace of its columns, texts and outline.
func build(columns, texts, row []byte) (tr *trace.Trace, note []byte, err error) {
	o := &outline{body: columns, names: string(texts)}
	numbers, ok := columnOver[uint64](row)
	if !ok || !utf8.ValidString(o.names) {
		return nil, nil, damage("outline")
	}
	o.numbers = numbers
	f := &trace.Form{Trace: &trace.Trace{}}
	o.describe(f)
	if note = o.bytes(nil); o.err != nil {
		return nil, nil, o.err
	}
	if tr, err = f.Build(inParallel); err != nil {
		return nil, nil, damage("%v", err)
	}
	return tr, note, nil
}

// inParallel calls f with 0 to n−1 on all processors, and returns the first error.
func inParallel(n int, f func(i int) error) error {
	return progress.Spread(context.Background(), n, f)
}
