package trace

import (
	"errors"
	"io"
	"strings"
)

const endsEarly = "it ends too early"

// PlainError returns what an error says, without the words that only make sense to those who write
// Go: an "unexpected EOF" is a file that ends too early. The causes of errors and the examples of
// diagnostics pass through here, whichever library they come from.
func PlainError(err error) string {
	s := err.Error()
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		s = strings.ReplaceAll(s, io.ErrUnexpectedEOF.Error(), endsEarly)
	case errors.Is(err, io.EOF) && strings.HasSuffix(s, io.EOF.Error()):
		s = strings.TrimSuffix(s, io.EOF.Error()) + endsEarly
	}
	return strings.ReplaceAll(s, "binary: varint overflows a 64-bit integer", "a number of more than 64 bits")
}

// plainArgs returns the arguments of a message with errors in plain words.
func plainArgs(args []any) []any {
	for i, a := range args {
		if err, ok := a.(error); ok {
			args[i] = PlainError(err)
		}
	}
	return args
}
