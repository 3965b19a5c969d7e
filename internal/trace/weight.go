package trace

import "sync/atomic"

// What is gathered and then built takes at least so many bytes a piece, with what leads to it. A
// recording says some of these with two bytes, so a small file could take all memory.
const (
	threadBytes   = 250 // without a record
	gatheredBytes = 650 // the first record of a thread
	laneBytes     = 350
	functionBytes = 250
	objectBytes   = 200
	callBytes     = 26 // its columns while they are copied, and its share of the pyramids
	turnedBytes   = 18 // the same where the columns are not copied
	levelBytes    = 4  // of a call in a thread with deep stacks besides, see large
	argBytes      = 12 // and the text
	blockBytes    = 40 // and the objects
	instantBytes  = 24
	linkBytes     = 150 // a flow or an explicit pair, with the links, marks and indices it becomes
	counterBytes  = 40  // a value of a counter, while it is copied
	countedBytes  = 48  // how often one function calls another, while it is copied

	// A thread tells the Builder of what it took in steps of so many bytes, and the Builder whoever
	// is to afford it.
	threadStep  = 1 << 10
	builderStep = 1 << 20
)

// weight is how much memory a Builder takes, at the least.
type weight struct {
	bytes    atomic.Int64
	columns  atomic.Int64 // the part of them that may lie in a file
	links    int          // bytes of pairs that are not in bytes yet
	expected atomic.Int64 // bytes of calls that are not in bytes yet; see Expect
	refused  atomic.Pointer[error]
}

// Weigh has the Builder ask afford from time to time whether it may take that many bytes, of which
// so many are of columns that may lie in a file: see Spill. An error is what Build returns then.
// Afford is called by every goroutine that feeds a thread.
func (b *Builder) Weigh(afford func(bytes, columns int64) error) { b.afford = afford }

// take counts bytes that are taken, and asks whether they may be.
func (b *Builder) take(bytes int64) { b.weigh(bytes, 0) }

func (b *Builder) weigh(bytes, columns int64) {
	if b.room.file == nil {
		columns = 0
	}
	now := b.weight.bytes.Add(bytes)
	if columns != 0 {
		b.weight.columns.Add(columns)
	}
	if b.afford == nil || now/builderStep == (now-bytes)/builderStep {
		return
	}
	if err := b.afford(now, b.weight.columns.Load()); err != nil {
		b.weight.refused.CompareAndSwap(nil, &err)
	}
}

// Refused returns why the Builder may not take more, or nil. Loaders that add much without reading
// ask it in between; others are ended by their next read.
func (b *Builder) Refused() error {
	if err := b.weight.refused.Load(); err != nil {
		return *err
	}
	return nil
}

// Holds counts bytes that a loader holds besides until all is built; see Weigh.
func (b *Builder) Holds(bytes int64) { b.take(bytes) }

// Holds counts bytes that a loader holds for the thread until it is built; see Builder.Weigh.
func (t *ThreadBuilder) Holds(bytes int) { t.take(bytes) }

// takeColumns counts bytes that columns of the thread take.
func (t *ThreadBuilder) takeColumns(bytes int) {
	t.spilled += bytes
	t.take(bytes)
}

// takeLink counts an explicit pair or a link. There can be as many as calls, so their bytes are
// added in steps.
func (b *Builder) takeLink() {
	b.weight.links += linkBytes
	if b.weight.links >= threadStep {
		b.take(int64(b.weight.links))
		b.weight.links = 0
	}
}

// take counts bytes that the thread takes.
func (t *ThreadBuilder) take(bytes int) {
	t.taken += bytes
	if t.taken >= threadStep {
		t.b.weigh(int64(t.taken), int64(t.spilled))
		t.taken, t.spilled = 0, 0
	}
}
