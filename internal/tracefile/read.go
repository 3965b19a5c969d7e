package tracefile

import (
	"io"
	"os"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
	"golang.org/x/sync/errgroup"

	"diptych/internal/progress"
	"diptych/internal/trace"
)

// Read returns the trace in a file that Write has written, and its note. The file must not be
// changed as long as the process lives, which may look at it at any time; it may be removed. All
// sums are checked, and all that could lead astray who looks at the trace: an error that is no
// error of the file system says that the file is damaged, or of another version or machine. Before
// it reads all of the file, it has the preview shown, if there is one and show is not nil.
func Read(f *os.File, show func(trace.Glimpse)) (tr *trace.Trace, note []byte, err error) {
	st, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	n := st.Size()
	if n < int64(trailerLen) || n != int64(int(n)) {
		return nil, nil, damage("%d bytes", n)
	}
	last := alignedBytes(trailerLen) // read, not mapped: most files that do not fit show it here
	if _, err := f.ReadAt(last, n-int64(trailerLen)); err != nil && err != io.EOF {
		return nil, nil, err
	}
	if err := fits(last, n); err != nil {
		return nil, nil, err
	}
	if show != nil {
		showPreview(f, trailerOf(last), show)
	}
	body, err := content(f, int(n))
	if err != nil {
		return nil, nil, err
	}
	return decode(body)
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
	n := len(file)
	if n < trailerLen || n%alignment != 0 {
		return nil, nil, damage("%d bytes", n)
	}
	last := file[n-trailerLen:]
	if err := fits(last, int64(n)); err != nil {
		return nil, nil, err
	}
	t := trailerOf(last)
	if xxh3.Hash(file[t.end:n-8]) != t.sum {
		return nil, nil, damage("sum of the trailer")
	}
	sums, _ := columnOver[uint64](file[t.end:t.preview])
	err = inParallel(len(sums), func(i int) error {
		if xxh3.Hash(file[i*block:min((i+1)*block, int(t.end))]) != sums[i] {
			return damage("sum of block %d", i)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return build(file[:t.texts], file[t.texts:t.outline], file[t.outline:t.end])
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
	var work errgroup.Group
	parts := min(n, progress.Processors()*4)
	for p := range parts {
		work.Go(func() error {
			for i := p * n / parts; i < (p+1)*n/parts; i++ {
				if err := f(i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return work.Wait()
}
