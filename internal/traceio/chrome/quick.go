package chrome

import (
	"encoding/binary"
	"math/bits"

	"diptych/internal/traceio/jsonin"
)

// The fast way through an event. Almost all events of a file have the same members in the same
// order, written alike, so quick expects each member to be the one that stood there in the last
// event, and compares its name as a word. It reads eight bytes at a time: names, the ends of
// strings, digits.
//
// It only takes what it is sure of: known members, strings and plain numbers for them, arguments
// without a defect, and nothing near the end of the block. Everything else it leaves to
// scanner.event, from the start of the event. What it does take, it takes for the same as
// scanner.event does; a test holds them against each other.

// orderLen is of how many members of an event the order is remembered.
const orderLen = 16

// margin is how much of a block must follow a member's name, so that words can be read without a
// look at its end.
const margin = 24

// The members that quick knows, as indices into keywords.
const (
	noKey uint8 = iota
	nameKey
	catKey
	phKey
	tsKey
	durKey
	pidKey
	tidKey
	idKey
	argsKey
	ttsKey
	tdurKey
	scopeKey
	colourKey
	keys
)

// keyword is a name with the quote that ends it, as a word.
type keyword struct {
	word, mask uint64
	len        int
}

var keywords = func() (k [keys]keyword) {
	k[noKey].word = 1 // which no word under a mask of zero is
	for i, name := range map[uint8]string{nameKey: "name", catKey: "cat", phKey: "ph", tsKey: "ts",
		durKey: "dur", pidKey: "pid", tidKey: "tid", idKey: "id", argsKey: "args", ttsKey: "tts",
		tdurKey: "tdur", scopeKey: "s", colourKey: "cname"} {
		var w [8]byte
		n := copy(w[:], name+`"`)
		k[i] = keyword{binary.LittleEndian.Uint64(w[:]), 1<<(8*n) - 1, n}
	}
	return k
}()

// keyOf returns the member whose name begins the word.
func keyOf(w uint64) uint8 {
	for i := nameKey; i < keys; i++ {
		if w&keywords[i].mask == keywords[i].word {
			return i
		}
	}
	return noKey
}

// quick parses the event at i, if it can. An event without members is not for it.
func (p *parser) quick(b []byte, i int, e *event) (end int, ok bool) {
	*e = event{more: more{next: true}}
	limit := len(b) - margin
	i++
	for at := 0; ; at++ {
		for i < limit && b[i] <= ' ' {
			i++
		}
		if i >= limit || b[i] != '"' {
			return 0, false
		}
		w := binary.LittleEndian.Uint64(b[i+1:])
		key := p.order[at&(orderLen-1)]
		if k := &keywords[key]; w&k.mask != k.word {
			if key = keyOf(w); key == noKey {
				return 0, false
			}
			p.order[at&(orderLen-1)] = key
		}
		i += 1 + keywords[key].len
		if b[i] != ':' {
			return 0, false
		}
		if i++; b[i] == ' ' {
			i++
		}
		if i, ok = p.quickMember(b, i, key, e); !ok {
			return 0, false
		}
		e.members++
		for i < limit && b[i] <= ' ' {
			i++
		}
		if i >= limit {
			return 0, false
		}
		if b[i] == '}' {
			return i + 1, true
		}
		if b[i] != ',' {
			return 0, false
		}
		i++
	}
}

// quickMember parses the value at i of a member.
func (p *parser) quickMember(b []byte, i int, key uint8, e *event) (end int, ok bool) {
	to := (*span)(nil)
	switch key {
	case tsKey:
		if at, end := quickMicros(b, i); end > 0 {
			e.ts, e.at, e.atKnown = span{uint32(i), uint32(end)}, at, true
			return end, true
		}
		to, e.atKnown = &e.ts, false
	case durKey:
		if length, end := quickMicros(b, i); end > 0 {
			e.dur, e.length, e.lengthKnown = span{uint32(i), uint32(end)}, length, true
			return end, true
		}
		to, e.lengthKnown = &e.dur, false
	case argsKey:
		return p.quickArgs(b, i, e)
	case pidKey:
		if e.pidWord, end = quickID(b, i); end > 0 {
			e.pid = span{uint32(i), uint32(end)}
			return end, true
		}
		to = &e.pid
	case tidKey:
		if e.tidWord, end = quickID(b, i); end > 0 {
			e.tid = span{uint32(i), uint32(end)}
			return end, true
		}
		to = &e.tid
	case phKey:
		if b[i] == '"' && b[i+2] == '"' && b[i+1] != '"' && b[i+1] != '\\' {
			e.ph = span{uint32(i + 1), uint32(i + 2)}
			return i + 3, true
		}
		to = &e.ph
	case nameKey:
		to = &e.name
	case catKey:
		to = &e.cat
	case idKey:
		to = &e.id
	default:
		to = new(span)
	}
	if b[i] == '"' {
		if end = jsonin.StringEnd(b, i+1); end < 0 {
			return 0, false
		}
		*to = span{uint32(i + 1), uint32(end)}
		return end + 1, true
	}
	if b[i]-'0' > 9 && b[i] != '-' {
		return 0, false // a word that may be null, or brackets, or a defect
	}
	end = jsonin.WordEnd(b, i)
	*to = span{uint32(i), uint32(end)}
	return end, end < len(b)
}

// quickArgs parses the arguments at i: an object of strings and numbers in its own loop, what is
// nested with the scanner.
func (p *parser) quickArgs(b []byte, i int, e *event) (end int, ok bool) {
	if b[i] != '{' {
		return 0, false
	}
	if end = flat(b, i); end > 0 {
		e.args, e.gaps = span{uint32(i), uint32(end)}, false
		return end, true
	}
	end, st := p.scanner.value(b, i)
	e.args, e.gaps = span{uint32(i), uint32(end)}, p.scanner.gaps
	return end, st == whole
}

// flat returns the end of the object at i, if it has members, no white space between its tokens,
// and no value with brackets, and 0 otherwise.
func flat(b []byte, i int) int {
	for limit := len(b) - margin; ; {
		if i++; i >= limit || b[i] != '"' {
			return 0
		}
		if i = jsonin.StringEnd(b, i+1) + 1; i == 0 || i >= limit || b[i] != ':' {
			return 0
		}
		if i++; b[i] == '"' {
			if i = jsonin.StringEnd(b, i+1) + 1; i == 0 || i >= limit {
				return 0
			}
		} else {
			from := i
			if i = jsonin.WordEnd(b, i); i == from || i >= limit {
				return 0
			}
		}
		if b[i] == '}' {
			return i + 1
		}
		if b[i] != ',' {
			return 0
		}
	}
}

// Digits in words of eight.
const (
	zeros = 0x3030303030303030
	sixes = 0x0606060606060606
	highs = 0xF0F0F0F0F0F0F0F0
)

// digits returns the bytes of a word as digits, and how many of them are some.
func digits(w uint64) (v uint64, n int) {
	v = w ^ zeros // 0 to 9 where there is a digit
	return v, bits.TrailingZeros64((v+sixes|v)&highs) >> 3
}

// quickID reads the number at i, of at most seven digits, as a word of its text. The end is 0 if it
// is anything else.
func quickID(b []byte, i int) (word uint64, end int) {
	w := binary.LittleEndian.Uint64(b[i:])
	_, n := digits(w)
	if n-1 > 6 || jsonin.Bare[b[i+n]] {
		return 0, 0
	}
	return w & (1<<(8*n) - 1), i + n
}

// eight returns the value of eight digits, the first in the lowest byte.
func eight(v uint64) uint64 {
	v = v*10 + v>>8
	return ((v&0x000000FF000000FF)*0x000F424000000064 + (v>>16&0x000000FF000000FF)*0x0000271000000001) >> 32
}

var tens = [...]uint64{1, 10, 100, 1000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9}

// quickMicros reads the number of µs at i: up to 15 digits, and up to 8 behind a point. The end is
// 0 if it is longer, or anything else, or ends the block.
func quickMicros(b []byte, i int) (instant, int) {
	if i+3*8 >= len(b) {
		return instant{}, 0
	}
	v, n := digits(binary.LittleEndian.Uint64(b[i:]))
	if n == 0 {
		return instant{}, 0
	}
	whole := eight(v << (64 - 8*n))
	i += n
	if n == 8 {
		if v, n = digits(binary.LittleEndian.Uint64(b[i:])); n == 8 {
			return instant{}, 0
		}
		whole = whole*tens[n] + eight(v<<(64-8*n))
		i += n
	}
	part := uint64(0)
	if b[i] == '.' {
		v, n = digits(binary.LittleEndian.Uint64(b[i+1:]))
		part = eight(v<<(64-8*n)) * tens[9-n]
		i += 1 + n
	}
	if jsonin.Bare[b[i]] { // also further digits
		return instant{}, 0
	}
	return instant{int64(whole*1000 + part/fracUnit), int32(part % fracUnit)}, i
}
