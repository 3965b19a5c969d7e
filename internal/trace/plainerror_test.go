package trace

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
)

func TestErrorsInPlainWords(t *testing.T) {
	_, overflow := binary.ReadUvarint(new(ones))
	for want, err := range map[string]error{
		"a packet: it ends too early":                    fmt.Errorf("a packet: %w", io.ErrUnexpectedEOF),
		"a packet: it ends too early, in field 3":        fmt.Errorf("a packet: %w, in field 3", io.ErrUnexpectedEOF),
		"a packet: it ends too early (2)":                fmt.Errorf("%w (2)", fmt.Errorf("a packet: %w", io.ErrUnexpectedEOF)),
		"failed to read: it ends too early":              fmt.Errorf("failed to read: %w", io.EOF),
		"reading a batch: a number of more than 64 bits": fmt.Errorf("reading a batch: %w", overflow),
		"a function of the name unexpected EOF":          errors.New("a function of the name unexpected EOF"),
	} {
		b := NewBuilder("x")
		b.Diagnose(Truncated, 1, "at %d: %v", 7, err)
		if got := b.Diagnosed()[0].Example; got != "at 7: "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// ones never ends.
type ones struct{}

func (*ones) ReadByte() (byte, error) { return 0xff, nil }
