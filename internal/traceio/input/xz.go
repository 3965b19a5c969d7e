package input

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"crypto/sha256"

	"github.com/ulikunitz/xz/lzma"
)

// The container of xz (The .xz File Format, version 1.2.1): streams one after the other, each of a
// header, blocks, an index of the blocks and a footer. The library decodes the LZMA2 data of a
// block. Its own reader of the container allocates whatever size of dictionary a block's header
// claims, and ends at the first block with a wrong checksum, although all blocks after it may be
// sound: so the container is read here.

var (
	// A block wants a dictionary larger than may be taken.
	errDict = errors.New("the dictionary is too large")

	errXzHeader = errors.New("xz: damaged header of a block")
	errXzIndex  = errors.New("xz: the index does not fit the blocks")
)

const (
	xzHeaderSize = 12 // of a stream's header and of its footer
	xzMagic      = "\xfd7zXZ\x00"
	lzma2Filter  = 0x21
)

// xzAhead is the most that a chunk unpacks to.
const xzAhead = 2 << 20

// newXz returns what unpacks xz with dictionaries of at most a window, and tells badSum of blocks
// whose checksum is wrong.
func newXz(badSum func(error)) unpacker {
	return func(stored io.Reader, w *window) (io.Reader, func(), error) {
		return &xzReader{r: bufio.NewReader(stored), w: w, badSum: badSum}, nil, nil
	}
}

// xzReader unpacks all streams of a file.
type xzReader struct {
	r      *bufio.Reader
	w      *window     // of the dictionary
	badSum func(error) // told of a block whose checksum is wrong

	inStream bool
	check    byte // the kind of checksum that the stream's blocks have
	blocks   uint64
	block    *xzBlock // nil between blocks
}

// xzBlock is the block that is being unpacked.
type xzBlock struct {
	data   io.Reader
	stored *counted
	sum    hash.Hash // nil for none
	size   int       // bytes of the checksum as stored
}

// counted counts what is read.
type counted struct {
	r       *bufio.Reader
	n       int64
	reading bool // what is below is at work, and not the library that reads from it
}

func (c *counted) Read(p []byte) (int, error) {
	c.reading = true
	n, err := c.r.Read(p)
	c.reading = false
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	c.reading = true
	b, err := c.r.ReadByte()
	c.reading = false
	if err == nil {
		c.n++
	}
	return b, err
}

func (x *xzReader) Read(p []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
		}
		n, err := x.block.read(p)
		if x.block.sum != nil {
			x.block.sum.Write(p[:n])
		}
		if err == io.EOF {
			err = x.endBlock()
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// read reads from the block. The library panics where damaged data breaks what it relies on;
// that is made an error.
func (b *xzBlock) read(p []byte) (n int, err error) {
	returned := false
	defer func() {
		if !returned && !b.stored.reading {
			n, err = 0, fmt.Errorf("xz: damaged data: %v", recover())
		}
	}()
	n, err = b.data.Read(p)
	returned = true
	return n, err
}

// next goes on to the next block. Between the streams of a file there may be zeros.
func (x *xzReader) next() error {
	for {
		if !x.inStream {
			if err := x.startStream(); err != nil {
				return err
			}
		}
		size, err := x.r.ReadByte()
		if err != nil {
			return early(err)
		}
		if size > 0 {
			return x.startBlock(size)
		}
		if err := x.endStream(); err != nil {
			return err
		}
	}
}

// startStream reads a stream's header. It returns io.EOF after the last stream.
func (x *xzReader) startStream() error {
	for {
		four, err := x.r.Peek(4)
		if len(four) == 0 {
			return err
		}
		if !bytes.Equal(four, make([]byte, 4)) {
			break
		}
		if _, err := x.r.Discard(4); err != nil {
			return err
		}
	}
	head := make([]byte, xzHeaderSize)
	if _, err := io.ReadFull(x.r, head); err != nil {
		return early(err)
	}
	if string(head[:6]) != xzMagic || !crcFits(head[6:8], head[8:]) {
		return errors.New("xz: damaged header of a stream")
	}
	x.inStream, x.check, x.blocks = true, head[7]&0x0f, 0
	return nil
}

func crcFits(data, sum []byte) bool {
	return crc32.ChecksumIEEE(data) == binary.LittleEndian.Uint32(sum)
}

// startBlock reads the header of a block, whose first byte gives its size.
func (x *xzReader) startBlock(size byte) error {
	head := make([]byte, 4*(int(size)+1))
	head[0] = size
	if _, err := io.ReadFull(x.r, head[1:]); err != nil {
		return early(err)
	}
	end := len(head) - crc32.Size
	if !crcFits(head[:end], head[end:]) {
		return errXzHeader
	}
	dict, err := dictOf(head[1:end])
	if err != nil {
		return err
	}
	if dict > x.w.most {
		return errDict
	}
	dict = x.w.allowed(dict)
	b := &xzBlock{stored: &counted{r: x.r}}
	b.sum, b.size = xzCheck(x.check)
	config := lzma.Reader2Config{DictCap: max(int(dict), lzma.MinDictCap)}
	if b.data, err = config.NewReader2(b.stored); err != nil {
		return err
	}
	x.block = b
	x.blocks++
	return nil
}

// dictOf returns how large a dictionary a block wants, in bytes, as the part of its header between
// the size and the checksum says.
func dictOf(head []byte) (int64, error) {
	flags, rest := head[0], head[1:]
	for _, present := range []bool{flags&0x40 != 0, flags&0x80 != 0} { // the sizes of its data
		if present {
			_, n := binary.Uvarint(rest)
			if n <= 0 {
				return 0, errXzHeader
			}
			rest = rest[n:]
		}
	}
	if flags&0x3f != 0 || len(rest) < 3 || rest[0] != lzma2Filter || rest[1] != 1 {
		return 0, errors.New("xz: a filter that is not read here; `xz -dc` unpacks the file")
	}
	dict, err := lzma.DecodeDictCap(rest[2])
	if err != nil {
		return 0, errXzHeader
	}
	return dict, nil
}

// xzCheck returns the checksum of a kind, and how many bytes it takes as stored. Kinds that are
// only reserved are passed over.
func xzCheck(kind byte) (hash.Hash, int) {
	switch kind {
	case 0:
		return nil, 0
	case 1:
		return crc32.NewIEEE(), crc32.Size
	case 4:
		return crc64.New(crc64.MakeTable(crc64.ECMA)), crc64.Size
	case 10:
		return sha256.New(), sha256.Size
	}
	return nil, 4 << ((kind - 1) / 3)
}

// endBlock reads what follows a block's data. A wrong checksum is told and ends nothing.
func (x *xzReader) endBlock() error {
	b := x.block
	x.block = nil
	after := make([]byte, int(-b.stored.n&3)+b.size)
	if _, err := io.ReadFull(x.r, after); err != nil {
		return early(err)
	}
	if b.sum == nil {
		return nil
	}
	want, got := after[len(after)-b.size:], b.sum.Sum(nil)
	if b.size <= crc64.Size { // stored with the low byte first
		for i, j := 0, len(got)-1; i < j; i, j = i+1, j-1 {
			got[i], got[j] = got[j], got[i]
		}
	}
	if !bytes.Equal(got, want) {
		x.badSum(fmt.Errorf("xz: invalid checksum of block %d", x.blocks))
	}
	return nil
}

// endStream reads the index, of which the first byte is read, and the footer.
func (x *xzReader) endStream() error {
	in := &counted{r: x.r, n: 1}
	records, err := binary.ReadUvarint(in)
	if err != nil {
		return early(err)
	}
	if records != x.blocks {
		return errXzIndex
	}
	for range 2 * records {
		if _, err := binary.ReadUvarint(in); err != nil {
			return early(err)
		}
	}
	rest := make([]byte, int(-in.n&3)+crc32.Size+xzHeaderSize)
	if _, err := io.ReadFull(x.r, rest); err != nil {
		return early(err)
	}
	if string(rest[len(rest)-2:]) != "YZ" {
		return errXzIndex
	}
	x.inStream = false
	return nil
}

// early makes the end of the file an error.
func early(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
