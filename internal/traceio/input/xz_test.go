package input

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
	"pgregory.net/rapid"

	"diptych/internal/fuzzall/seeds"
	"diptych/internal/testtrace"
	"diptych/internal/traceio/input/inputtest"
)

// unxz unpacks, and returns what was said of checksums.
func unxz(data []byte) (out []byte, bad error, err error) {
	r := openWindowed(bytes.NewReader(data), 0, 1<<26, xzAhead,
		newXz(func(err error) { bad = err }))
	out, err = io.ReadAll(r)
	return out, bad, err
}

// TestXz unpacks what the library's writer packs: with each checksum, in blocks of any size, streams
// one after the other and zeros between them.
func TestXz(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var packed, want []byte
		for range rapid.IntRange(1, 3).Draw(r, "streams") {
			text := []byte(rapid.StringOfN(rapid.SampledFrom([]rune("ab\n")), 0, 5000, -1).Draw(r, "text"))
			c := xz.WriterConfig{DictCap: 1 << 12, BlockSize: rapid.Int64Range(1, 4000).Draw(r, "block"),
				CheckSum: rapid.SampledFrom([]byte{xz.CRC32, xz.CRC64, xz.SHA256}).Draw(r, "check")}
			if c.NoCheckSum = rapid.Bool().Draw(r, "none"); c.NoCheckSum {
				c.CheckSum = 0
			}
			packed = append(packed, inputtest.XzWith(t, text, c)...)
			packed = append(packed, make([]byte, 4*rapid.IntRange(0, 2).Draw(r, "padding"))...)
			want = append(want, text...)
		}
		got, bad, err := unxz(packed)
		if err != nil || bad != nil || !bytes.Equal(got, want) {
			r.Fatalf("%d bytes instead of %d, %v, %v", len(got), len(want), bad, err)
		}
	})
}

// TestXzDamage flips and cuts a file everywhere: what comes is the content, or it is told that it
// is not, and all blocks after a wrong checksum are there.
func TestXzDamage(t *testing.T) {
	want := []byte(strings.Repeat("some text, ", 30))
	data := inputtest.XzWith(t, want, xz.WriterConfig{DictCap: 1 << 12, BlockSize: 100, CheckSum: xz.CRC32})
	sums, every := 0, testtrace.Sized(4, 1)
	for i := range data {
		if got, bad, err := unxz(data[:i]); err == nil && bad == nil && i > 0 && !bytes.Equal(got, want) {
			t.Errorf("cut at %d: %d bytes", i, len(got))
		}
		for bit := range 8 {
			if (i+bit)%every != 0 {
				continue
			}
			broken := bytes.Clone(data)
			broken[i] ^= 1 << bit
			got, bad, err := unxz(broken)
			if bad != nil && err == nil && bytes.Equal(got, want) {
				sums++
			}
			if err == nil && bad == nil && !bytes.Equal(got, want) {
				t.Errorf("bit %d of byte %d: %q", bit, i, got)
			}
		}
	}
	if sums < 32*4/every { // the bits of the blocks' checksums
		t.Errorf("%d flips were only of a checksum", sums)
	}
}

// TestXzFilters: a filter other than LZMA2, as xz --x86 uses, is named as the reason.
func TestXzFilters(t *testing.T) {
	if _, err := dictOf([]byte{1, 4, 0, 0x21, 1, 0x16}); err == nil || !strings.Contains(err.Error(), "`xz -dc`") {
		t.Error(err)
	}
	if n, err := dictOf([]byte{0xc0, 0x80, 1, 5, 0x21, 1, 0x16, 0}); n != 8<<20 || err != nil {
		t.Error(n, err)
	}
	for _, head := range [][]byte{{0}, {0, 0x21}, {0x40, 0xff}, {0, 0x21, 1, 0xff}} {
		if n, err := dictOf(head); err == nil {
			t.Errorf("% x wants %d bytes", head, n)
		}
	}
}

// TestXzFilterIsTold: the reason is told also if what looks at the beginning has met it before.
func TestXzFilterIsTold(t *testing.T) {
	data := []byte("\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46\x02\x01\x03\x01\x00\x21\x01\x16\x79\x20\xc4\xee rest of it")
	path := filepath.Join(t.TempDir(), "delta.xz")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Open(context.Background(), path, Options{}, never)
	if err == nil || !strings.Contains(err.Error(), "a filter that is not read here; `xz -dc` unpacks the file") {
		t.Error(err)
	}
}

// FuzzOpen opens files of any content, packed and rolled in every way, and reads what they hold: none
// makes the libraries panic, and what is read stays within the limits.
func FuzzOpen(f *testing.F) {
	seeds.Add(f)
	small := []byte("some content, some content")
	for _, pack := range inputtest.Packings {
		f.Add(pack(f, small))
	}
	member := inputtest.File{Name: "d/a", Data: small}
	f.Add(inputtest.Zip(f, member))
	f.Add(inputtest.Tar(f, member)[:1024])
	f.Add(inputtest.Gzip(f, inputtest.Zip(f, member)))
	path := filepath.Join(f.TempDir(), "fuzzed")
	f.Fuzz(func(t *testing.T, data []byte) {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		some := func(s *Source) bool { return bytes.HasPrefix(s.Head, []byte("some")) }
		s, err := Open(context.Background(), path, Options{Memory: 16 << 20}, some)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		defer s.Close()
		total := int64(0)
		read := func(in io.Reader) {
			n, err := io.Copy(io.Discard, in)
			if total += n; total > 4<<20+64*int64(len(data)) || errors.Is(err, io.EOF) {
				t.Errorf("%d bytes of %d, %v", n, total, err)
			}
		}
		if s.Stream != nil {
			read(s.Stream)
			return
		}
		names, _ := s.Files(100)
		for _, name := range names {
			if in, _ := s.Opens(name); in != nil {
				if in.Stream != nil {
					read(in.Stream)
				}
				in.Close()
			}
		}
	})
}
