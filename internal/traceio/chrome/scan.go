package chrome

import (
	"iter"
	"slices"

	"diptych/internal/traceio/jsonin"
)

// status is how scanning a piece of JSON ended.
type status uint8

const (
	whole  status = iota
	cut           // the text ends inside
	broken        // it is no JSON
)

// maxNesting bounds the levels of a value inside an event. The scan of a deeper one fails early, so
// that hunting for events in garbage stays cheap.
const maxNesting = 512

// scanner walks over JSON values without decoding them. It is strict about structure, since a
// misplaced quote must show within a few tokens, and lenient about the rest: control characters in
// strings pass, as do NaN and Infinity, which Python writes.
type scanner struct {
	open []byte // the brackets around the current position
	gaps bool
}

// scalar returns the end of the string, number or word at i.
func scalar(b []byte, i int) (int, status) {
	if b[i] == '"' {
		if i = jsonin.StringEnd(b, i+1); i < 0 {
			return len(b), cut
		}
		return i + 1, whole
	}
	end := jsonin.WordEnd(b, i)
	switch {
	case end == len(b):
		return end, cut
	case end == i:
		return i, broken
	}
	return end, whole
}

// value returns the end of the value at i, and notes in s.gaps whether white space stands between
// its tokens.
func (s *scanner) value(b []byte, i int) (int, status) {
	s.open, s.gaps = s.open[:0], false
	for {
		i = s.space(b, i)
		if i >= len(b) {
			return i, cut
		}
		var st status
		switch c := b[i]; c {
		case '{', '[':
			if len(s.open) == maxNesting {
				return i, broken
			}
			s.open = append(s.open, c)
			i = s.space(b, i+1)
			if i >= len(b) {
				return i, cut
			}
			if b[i] != closing(c) {
				if c == '{' {
					if _, i, st = s.key(b, i); st != whole {
						return i, st
					}
				}
				continue
			}
		default:
			if i, st = scalar(b, i); st != whole {
				return i, st
			}
		}
		if i, st = s.leave(b, i); st != whole || len(s.open) == 0 {
			return i, st
		}
	}
}

// closing returns the bracket that closes c: both are two code points on.
func closing(c byte) byte { return c + 2 }

// leave goes from the end of a value out of all brackets that end here, and on to the next value.
func (s *scanner) leave(b []byte, i int) (int, status) {
	for len(s.open) > 0 {
		i = s.space(b, i)
		if i >= len(b) {
			return i, cut
		}
		top := s.open[len(s.open)-1]
		switch {
		case b[i] == closing(top):
			s.open = s.open[:len(s.open)-1]
			i++
		case b[i] != ',':
			return i, broken
		case top == '{':
			_, next, st := s.key(b, s.space(b, i+1))
			return next, st
		default:
			return i + 1, whole
		}
	}
	return i, whole
}

// key returns the end of the name at i, its quote excluded, and the position after its colon.
func (s *scanner) key(b []byte, i int) (to, next int, st status) {
	if i >= len(b) {
		return i, i, cut
	}
	if b[i] != '"' {
		return i, i, broken
	}
	if to = jsonin.StringEnd(b, i+1); to < 0 {
		return to, len(b), cut
	}
	i = s.space(b, to+1)
	if i >= len(b) {
		return to, i, cut
	}
	if b[i] != ':' {
		return to, i, broken
	}
	return to, i + 1, whole
}

func (s *scanner) space(b []byte, i int) int {
	if i >= len(b) || b[i] > ' ' {
		return i
	}
	s.gaps = true
	return jsonin.SkipSpace(b, i)
}

// squeeze adds the well-formed value between two places of the block to the arguments, without the
// white space between its tokens.
func (t *batch) squeeze(i, end int) {
	if pressing() {
		from := len(t.args)
		t.growArgs(end - i + 64)
		if n, ok := press(t.args[from:cap(t.args)], t.block, i, end); ok {
			t.args = t.args[:from+n]
			return
		}
	}
	t.args = squeeze(t.args, t.block[i:end])
}

// squeeze appends the well-formed value b to out without the white space between its tokens.
func squeeze(out, b []byte) []byte {
	n := len(out)
	out = slices.Grow(out, len(b))[:n+len(b)]
	for i := 0; i < len(b); {
		if c := b[i]; c != '"' {
			out[n] = c
			if c > ' ' {
				n++
			}
			i++
			continue
		}
		end := jsonin.StringEnd(b, i+1) + 1
		n += copy(out[n:], b[i:end])
		i = end
	}
	return out[:n]
}

// members yields the names and values of a well-formed JSON object, strings without their quotes
// and still escaped. Text that is no object has no members.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		var s scanner
		i := jsonin.SkipSpace(b, 0)
		if i >= len(b) || b[i] != '{' {
			return
		}
		for i = jsonin.SkipSpace(b, i+1); i < len(b) && b[i] == '"'; i = jsonin.SkipSpace(b, i+1) {
			from := i + 1
			to, next, st := s.key(b, i)
			if st != whole {
				return
			}
			i = jsonin.SkipSpace(b, next)
			end, st := s.value(b, i)
			if st != whole {
				return
			}
			value := b[i:end]
			if value[0] == '"' {
				value = value[1 : len(value)-1]
			}
			if !yield(b[from:to], value) {
				return
			}
			if i = jsonin.SkipSpace(b, end); i >= len(b) || b[i] != ',' {
				return
			}
		}
	}
}
