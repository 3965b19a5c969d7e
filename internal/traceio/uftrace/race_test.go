//go:build unix

package uftrace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"diptych/internal/peers"
	"diptych/internal/traceio/loadtest"
)

// BenchmarkPlainRead races the way from a directory to a finished trace against a plain read of the
// same records. Tasks have a file each, and there are more of them than processors.
func BenchmarkPlainRead(b *testing.B) {
	data := generated(1 << 20)
	d := newDir()
	files := map[string][]byte{}
	const tasks = 6
	for tid := 7; tid < 7+tasks; tid++ {
		if tid > 7 {
			d.tasks += fmt.Sprintf("TASK timestamp=0.000000003 tid=%d pid=7\n", tid)
		}
		files[fmt.Sprintf("%d.dat", tid)] = data
	}
	for name, f := range d.files("") {
		files[name] = f.Data
	}
	dir := peers.OnDisk(b, files)
	pattern := filepath.Join(dir, "[0-9]*.dat")
	peers.Race(b, loadtest.Loader(Load).FromDisk(b, dir), func() { peers.EachFile(b, pattern, addUp) })
}

// addUp reads records of which none has a payload.
func addUp(r *bufio.Reader) (sum uint64, err error) {
	var rec [recordSize]byte
	for {
		if _, err := io.ReadFull(r, rec[:]); errors.Is(err, io.EOF) {
			return sum, nil
		} else if err != nil {
			return sum, err
		}
		at, packed := binary.LittleEndian.Uint64(rec[:]), binary.LittleEndian.Uint64(rec[8:])
		kind, more, mark := packed&3, packed>>2&1, packed>>3&7
		if mark != recordMagic {
			return sum, errors.New("not a record")
		}
		sum += at + kind + more + packed>>6&0x3ff + packed>>16
	}
}
