package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/klauspost/compress/zstd"
)

// zstdAhead is the most that a block unpacks to.
const zstdAhead = 128 << 10

// newZstd returns what unpacks zstd. The library has two goroutines: with one it reads blocks only
// as they are asked for, and then loses the last block of a frame whose checksum is wrong.
func newZstd(stored io.Reader, w *window) (io.Reader, func(), error) {
	z, err := zstd.NewReader(&zstdFrames{r: bufio.NewReader(stored), w: w},
		zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(uint64(w.most)))
	if err != nil {
		return nil, nil, err
	}
	return z, z.Close, nil
}

// zstdFrames passes on frames of zstd (RFC 8878), where it writes smaller windows into the headers.
type zstdFrames struct {
	r       *bufio.Reader
	w       *window
	out     []byte // to be passed on
	body    int64  // then so many bytes as they are
	inFrame bool   // a block comes next
	sum     bool   // the frame ends with a checksum
	plain   bool   // the rest is passed on as it is
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
	if v&1 == 1 {
		z.inFrame = false
		if z.sum {
			z.body += 4
		}
	}
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
