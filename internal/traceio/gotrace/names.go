package gotrace

import (
	"strconv"
	"strings"
)

// names makes short texts, of which many lie in one piece of memory: there are two for each
// goroutine.
type names struct{ piece *strings.Builder }

// namesPiece is how long a piece is.
const namesPiece = 1 << 12

// room begins a piece unless n bytes more fit into the one there is.
func (s *names) room(n int) (from int) {
	if s.piece == nil || s.piece.Len()+n > s.piece.Cap() {
		s.piece = new(strings.Builder)
		s.piece.Grow(max(n, namesPiece))
	}
	return s.piece.Len()
}

// join returns some texts as one.
func (s *names) join(parts ...string) string {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	from := s.room(n)
	for _, p := range parts {
		s.piece.WriteString(p)
	}
	return s.piece.String()[from:]
}

// number returns a number as a text.
func (s *names) number(n int64) string {
	var digits [20]byte
	text := strconv.AppendInt(digits[:0], n, 10)
	from := s.room(len(text))
	s.piece.Write(text)
	return s.piece.String()[from:]
}
