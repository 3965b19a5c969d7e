package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/cespare/xxhash/v2"
	"github.com/klauspost/compress/zstd"
)

// zstdAhead is the most that a block unpacks to.
const zstdAhead = 128 << 10

// newZstd returns what unpacks zstd.
func newZstd(stored io.Reader, w *window) (io.Reader, func(), error) {
	frames := &zstdFrames{r: bufio.NewReader(stored), w: w}
	z, err := zstd.NewReader(frames, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(w.most)), zstd.IgnoreChecksum(true))
	if err != nil {
		return nil, nil, err
	}
	return &zstdReader{z: z, frames: frames, sum: xxhash.New()}, z.Close, nil
}

// zstdReader unpacks frame after frame and checks their checksums. The library unpacks a block when
// it is asked for: with goroutines of its own it takes two fifths more time, and processors that
// parsing needs. But then it loses the last block of a frame whose checksum is wrong, so it is told
// to ignore them.
type zstdReader struct {
	z      *zstd.Decoder
	frames *zstdFrames
	sum    *xxhash.Digest // of the frame so far
	failed error          // once the library has failed, which may still hold a block
}

func (r *zstdReader) Read(p []byte) (int, error) {
	for {
		n, err := r.z.Read(p)
		switch {
		case r.failed != nil && n == 0:
			return 0, r.failed
		case r.failed != nil:
			return n, nil
		case r.frames.sum:
			_, _ = r.sum.Write(p[:n])
		}
		switch {
		case err == nil:
			return n, nil
		case err != io.EOF:
			r.failed = err
		case r.frames.sum && uint32(r.sum.Sum64()) != r.frames.stated:
			r.failed = zstd.ErrCRCMismatch
		case !r.frames.more():
			r.failed = io.EOF
		default:
			r.failed = r.z.Reset(r.frames)
			r.sum.Reset()
		}
		if n > 0 {
			return n, nil
		}
	}
}

// zstdFrames passes on frames of zstd (RFC 8878), where it writes smaller windows into the headers.
// It ends after each frame, until it is asked for more.
type zstdFrames struct {
	r       *bufio.Reader
	w       *window
	out     []byte // to be passed on
	body    int64  // then so many bytes as they are
	inFrame bool   // a block comes next
	last    bool   // the block at hand is the last of the frame
	sum     bool   // the frame ends with a checksum,
	stated  uint32 // which is this one
	ended   bool   // a frame
	plain   bool   // the rest is passed on as it is
}

// more goes on after a frame and reports whether there is anything.
func (z *zstdFrames) more() bool {
	_, err := z.r.Peek(1)
	z.ended, z.sum = false, false
	return err == nil
}

const (
	zstdMagic     = 0xfd2fb528
	zstdSkippable = 0x184d2a50 // and the 15 numbers after it
	zstdHeader    = 18         // bytes of the longest header
)

func (z *zstdFrames) Read(p []byte) (int, error) {
	for len(z.out) == 0 {
		switch {
		case z.body > 0:
			n, err := z.r.Read(p[:min(int64(len(p)), z.body)])
			z.body -= int64(n)
			return n, err
		case z.ended:
			return 0, io.EOF
		case z.last:
			z.end()
		case z.plain:
			return z.r.Read(p)
		case z.inFrame:
			z.block()
		default:
			z.frame()
		}
	}
	n := copy(p, z.out)
	z.out = z.out[n:]
	return n, nil
}

// take passes on n bytes that are there, as they are.
func (z *zstdFrames) take(n int) {
	head, _ := z.r.Peek(n)
	z.out = bytes.Clone(head)
	z.r.Discard(n)
}

// end passes on the end of a frame: its checksum, if it has one.
func (z *zstdFrames) end() {
	if z.last, z.ended = false, true; z.sum {
		h, _ := z.r.Peek(4)
		if len(h) == 4 {
			z.stated = binary.LittleEndian.Uint32(h)
		}
		z.take(len(h))
	}
}

// block passes on the header of a block: whether it is the last, its kind and its size. Kind 1 is
// one byte that is repeated.
func (z *zstdFrames) block() {
	h, _ := z.r.Peek(3)
	if len(h) < 3 {
		z.plain = true
		return
	}
	v := uint32(h[0]) | uint32(h[1])<<8 | uint32(h[2])<<16
	z.body = int64(v >> 3)
	if v>>1&3 == 1 {
		z.body = 1
	}
	z.last = v&1 == 1
	z.inFrame = !z.last
	z.take(3)
}

// frame passes on the header of a frame.
func (z *zstdFrames) frame() {
	h, _ := z.r.Peek(zstdHeader)
	if len(h) < 8 {
		z.plain = true
		return
	}
	magic := binary.LittleEndian.Uint32(h)
	if magic&^15 == zstdSkippable {
		z.body = int64(binary.LittleEndian.Uint32(h[4:]))
		z.take(8)
		return
	}
	flags := h[4]
	dictionary, content := 1<<(flags&3)>>1, 1<<(flags>>6)
	single := flags&0x20 != 0
	if content == 1 && !single {
		content = 0
	}
	at := 5 // of the dictionary's number
	if !single {
		at++
	}
	end := at + dictionary + content
	if magic != zstdMagic || len(h) < end {
		z.plain = true
		return
	}
	z.inFrame, z.sum = true, flags&4 != 0
	stated := uint64(8+h[5]&7) << (7 + h[5]>>3)
	if single { // all of the content
		stated = 0
		for i := range content {
			stated |= uint64(h[at+dictionary+i]) << (8 * i)
		}
	}
	size := int64(min(stated, mostSize))
	if may := z.w.allowed(size); may < size {
		out := append(bytes.Clone(h[:4]), flags&^0x20, byte(bits.Len64(uint64(may))-11)<<3)
		z.out = append(out, h[at:end]...)
		z.r.Discard(end)
		return
	}
	z.take(end)
}
