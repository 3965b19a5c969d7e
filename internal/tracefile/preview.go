package tracefile

import (
	"bytes"
	"encoding/json"
	"io"

	"diptych/internal/trace"
)

// Checking a file reads all of it, which takes longer than users wait for a first picture once it
// is large, or lies on a slow disk. So the file of a large trace has a preview, which takes some
// ms.

const previewThreads = 16

// previewCalls is how many calls a trace with a preview has. Tests replace it.
var previewCalls = 4 << 20

// threadCalls is how many calls take as long to check as a thread does, whose columns lie apart.
const threadCalls = 1 << 10

// ahead is what the note of a preview says beside its trace.
type ahead struct{ Lead, Calls int }

// previewOf returns the preview of a trace as the content of a file, or nothing if it is small.
func previewOf(tr *trace.Trace) ([]byte, error) {
	calls := 0
	for _, th := range tr.Threads {
		calls += threadCalls + th.Len()
	}
	if calls < previewCalls {
		return nil, nil
	}
	g := trace.Preview(tr, previewThreads)
	note, err := json.Marshal(ahead{g.Lead, g.Calls})
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	err = writeWith(&out, g.Trace, note, nil)
	return out.Bytes(), err
}

// showPreview has the preview of a file shown. One that is damaged is not: that is found again when
// all of the file is checked.
func showPreview(f io.ReaderAt, t *trailer, show func(trace.Glimpse)) {
	b := alignedBytes(int(t.length) - trailerLen - int(t.preview))
	if len(b) == 0 {
		return
	}
	if _, err := f.ReadAt(b, int64(t.preview)); err != nil {
		return
	}
	tr, note, err := decode(b)
	var a ahead
	if err != nil || json.Unmarshal(note, &a) != nil || a.Lead < 0 || a.Lead >= len(tr.Threads) {
		return
	}
	show(trace.Glimpse{Trace: tr, Lead: a.Lead, Calls: a.Calls, Kept: true})
}
