package chrome

import (
	"bytes"

	"diptych/internal/traceio/jsonin"
)

// plainKey returns the key of the event at i, which is at least 2: where its quotes are, and where
// the next event begins. That begins with a brace, before which stands what stands before this one;
// if it is another brace that does, events share keys, and fewer fit a stamp.
func plainKey(b []byte, i int) (key uint64) {
	for from := i; from < i+64*keyPieces; from += 64 {
		quotes := uint64(0)
		for k := range 64 {
			at := from + k
			switch {
			case b[at] == '"':
				quotes |= 1 << k
			case b[at] == '{' && b[at-2] == b[i-2] && at > i:
				return mix(key, quotes|1<<k)
			}
		}
		key = mix(key, quotes)
	}
	return key
}

// plainlyFits is fits byte by byte.
func (s *stamp) plainlyFits(b []byte) bool {
	for i, c := range b[:s.len] {
		p, bit := &s.pieces[i/64], uint64(1)<<(i%64)
		switch {
		case p.literal&bit != 0 && c != p.text[i%64],
			p.digits&bit != 0 && c-'0' > 9,
			p.free&bit != 0 && (c == '"' || c == '\\'):
			return false
		}
	}
	return true
}

// make makes the stamp of an event, which is well-formed. It returns false if the event has
// something unusual.
func (s *stamp) make(scan *scanner, b []byte) bool {
	*s = stamp{pieces: s.pieces[:0], len: len(b), parts: s.parts[:0]}
	for i := 0; i < len(b); i += 64 {
		p := piece{literal: firstBits(len(b) - i)}
		copy(p.text[:], b[i:])
		s.pieces = append(s.pieces, p)
	}
	for i := jsonin.SkipSpace(b, 1); b[i] == '"'; i = jsonin.SkipSpace(b, i) {
		from := i + 1
		to, next, _ := scan.key(b, i)
		i = jsonin.SkipSpace(b, next)
		after, _ := scan.value(b, i)
		escaped := bytes.IndexByte(b[from:to], '\\') >= 0 // another way to write a name
		if escaped || !s.member(string(b[from:to]), b, i, after) {
			return false
		}
		if i = jsonin.SkipSpace(b, after); b[i] == ',' {
			i = jsonin.SkipSpace(b, i+1)
		}
	}
	return s.phase > 0 && s.start.whole > 0 && s.pid.whole > 0 && s.tid.whole > 0
}

// member notes a member's value, b[i:end]. It returns false if that is unusual.
func (s *stamp) member(name string, b []byte, i, end int) bool {
	f := fields[name]
	var text *span
	var figure *number
	switch f {
	case noField:
		return s.vary(b, i, end, false)
	case phField:
		ok := s.phase == 0 && end-i == 3 && b[i] == '"' && s.vary(b, i, end, false)
		s.phase = uint32(i + 1)
		return ok
	case nameField:
		text = &s.name
	case catField:
		text = &s.cat
	case argsField:
		if b[i] != '{' || !s.args.empty() {
			return false
		}
		s.args = span{uint32(i), uint32(end)}
		return s.vary(b, i, end, true)
	case tsField:
		figure = &s.start
	case durField:
		figure = &s.length
	case pidField:
		figure = &s.pid
	case tidField:
		figure = &s.tid
	default:
		return false
	}
	if text != nil {
		ok := b[i] == '"' && end-i > 2 && text.empty() && s.vary(b, i, end, false)
		*text = span{uint32(i + 1), uint32(end - 1)}
		return ok
	}
	ok := figure.whole == 0 && figure.read(b, i, end) && s.vary(b, i, end, false)
	if f == pidField || f == tidField {
		ok = ok && figure.behind == 0 && figure.whole < 8
	}
	return ok
}

// read notes where the digits of b[i:end] are.
func (n *number) read(b []byte, i, end int) bool {
	const mostWhole, mostBehind = 16, 8
	n.at = uint32(i)
	for ; i < end && b[i]-'0' <= 9 && n.whole <= mostWhole; i++ {
		n.whole++
	}
	if i < end && b[i] == '.' {
		for i++; i < end && b[i]-'0' <= 9 && n.behind <= mostBehind; i++ {
			n.behind++
		}
		if n.behind == 0 {
			return false
		}
	}
	return i == end && n.whole > 0 && n.whole <= mostWhole && n.behind <= mostBehind
}

// vary lets the digits of numbers and the texts of strings in the value b[i:end] be others, and, of
// arguments, notes what is no white space. It returns false if there is a backslash.
func (s *stamp) vary(b []byte, i, end int, arguments bool) bool {
	from := i
	for i < end {
		switch c := b[i]; {
		case c == '"':
			to := i + 1
			for ; b[to] != '"'; to++ {
				if b[to] == '\\' {
					return false
				}
			}
			if k := jsonin.SkipSpace(b, to+1); b[k] != ':' {
				for i++; i < to; i++ {
					p, bit := &s.pieces[i/64], uint64(1)<<(i%64)
					p.literal, p.free = p.literal&^bit, p.free|bit
				}
			}
			i = to + 1
		case c-'0' <= 9:
			p, bit := &s.pieces[i/64], uint64(1)<<(i%64)
			p.literal, p.digits = p.literal&^bit, p.digits|bit
			i++
		case c <= ' ' && arguments:
			s.part(from, i)
			i = jsonin.SkipSpace(b, i)
			from = i
		default:
			i++
		}
	}
	if arguments {
		s.part(from, end)
	}
	return true
}

// part notes a part of the arguments.
func (s *stamp) part(from, to int) {
	if from < to {
		s.parts = append(s.parts, span{uint32(from), uint32(to)})
	}
	for i := from; i < to; i++ {
		s.pieces[i/64].kept |= 1 << (i % 64)
	}
}
