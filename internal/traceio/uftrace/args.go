package uftrace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// payloadLimit bounds what may follow one record. The recorder's own buffer for it has 1024 bytes
// by default.
const payloadLimit = 64 << 10

var errShort = errors.New("the payload is cut short")

// values prints recorded values in the way of `uftrace replay`.
type values struct {
	order binary.ByteOrder
	// symbol names what lies at an address, "" if nothing known does.
	symbol func(addr uint64) string
	// enum spells a value of a named enumeration.
	enum func(name string, v int64) string
}

// text appends the values of items, which begin at data, to dst, separated by commas. It returns
// the number of bytes they take: each is padded to 4 and all together to 8. If a call has several
// results, only the first is printed.
func (v *values) text(dst []byte, items []item, data []byte) (out []byte, n int, err error) {
	for i := range items {
		if i > 0 && !items[i].result {
			dst = append(dst, ", "...)
		}
		size := items[i].size
		shown := items[i].result && i > 0
		switch items[i].format {
		case formatText, formatString:
			if len(data) < n+2 {
				return dst, n, errShort
			}
			size = 2 + int(v.order.Uint16(data[n:]))
		}
		if len(data) < n+size {
			return dst, n, errShort
		}
		if !shown {
			dst = v.append(dst, &items[i], data[n:n+size])
		}
		n += (size + 3) &^ 3
	}
	return dst, (n + 7) &^ 7, nil
}

// append prints one value.
func (v *values) append(dst []byte, it *item, data []byte) []byte {
	switch it.format {
	case formatText:
		return quote(dst, data[2:])
	case formatString:
		return append(quote(dst, data[2:]), 's')
	case formatStruct:
		dst = append(dst, it.typ...)
		if it.size == 0 {
			return append(dst, "{}"...)
		}
		return append(dst, "{...}"...)
	case formatChar:
		dst = append(dst, '\'')
		dst = escape(dst, data[:1], '\'')
		return append(dst, '\'')
	case formatFloat:
		return v.float(dst, data)
	}
	return v.integer(dst, it, v.word(data))
}

// word reads an unsigned number of 1, 2, 4 or 8 bytes.
func (v *values) word(data []byte) uint64 {
	switch len(data) {
	case 1:
		return uint64(data[0])
	case 2:
		return uint64(v.order.Uint16(data))
	case 4:
		return uint64(v.order.Uint32(data))
	case 8:
		return v.order.Uint64(data)
	}
	return 0
}

// plain is the greatest magnitude that formats without a radix print in decimal: more are likely
// addresses or flags.
const plain = 100000

func (v *values) integer(dst []byte, it *item, w uint64) []byte {
	signed := func() int64 {
		shift := 64 - 8*it.size
		return int64(w<<shift) >> shift
	}
	switch it.format {
	case formatAuto:
		switch small := int64(w) <= plain && int64(w) >= -plain; {
		case small:
			return strconv.AppendInt(dst, signed(), 10)
		case w > 0xffff0000 && w <= 0xffffffff: // a negative int in a wider register
			return strconv.AppendInt(dst, int64(int32(w)), 10)
		}
	case formatSigned:
		return strconv.AppendInt(dst, signed(), 10)
	case formatPlain:
		if w <= plain {
			return strconv.AppendUint(dst, w, 10)
		}
	case formatOctal:
		if w != 0 {
			dst = append(dst, '0')
		}
		return strconv.AppendUint(dst, w, 8)
	case formatRef:
		if name := v.symbol(w); name != "" {
			return append(append(dst, '&'), name...)
		}
	case formatEnum:
		return append(dst, v.enum(it.typ, int64(w))...)
	}
	if w != 0 {
		dst = append(dst, "0x"...)
	}
	return strconv.AppendUint(dst, w, 16)
}

func (v *values) float(dst []byte, data []byte) []byte {
	var f float64
	switch len(data) {
	case 4:
		f = float64(math.Float32frombits(v.order.Uint32(data)))
	case 8:
		f = math.Float64frombits(v.order.Uint64(data))
	case 10: // x87 extended: 64 bits of mantissa with its leading one, 15 of exponent
		f = math.Ldexp(float64(v.order.Uint64(data)), int(v.order.Uint16(data[8:])&0x7fff)-16383-63)
		if data[9]&0x80 != 0 {
			f = -f
		}
	}
	return strconv.AppendFloat(dst, f, 'f', 6, 64)
}

// quote prints a recorded string: up to its first zero byte, as the recorder's limit on lengths
// leaves it. Four bytes of all ones stand for a null pointer.
func quote(dst, s []byte) []byte {
	if bytes.Equal(s, []byte{0xff, 0xff, 0xff, 0xff}) {
		return append(dst, "NULL"...)
	}
	if i := bytes.IndexByte(s, 0); i >= 0 {
		s = s[:i]
	}
	dst = append(dst, '"')
	dst = escape(dst, s, '"')
	return append(dst, '"')
}

// escape writes s so that it stays on one line, is valid UTF-8, and ends at the first bare mark.
func escape(dst, s []byte, mark byte) []byte {
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		switch {
		case r == utf8.RuneError && n == 1 || r < ' ' || r == 0x7f:
			dst = escapeByte(dst, s[0])
		case r == rune(mark) || r == '\\':
			dst = append(dst, '\\', s[0])
		default:
			dst = append(dst, s[:n]...)
		}
		s = s[n:]
	}
	return dst
}

func escapeByte(dst []byte, c byte) []byte {
	const hex = "0123456789abcdef"
	switch c {
	case 0:
		return append(dst, `\0`...)
	case '\b':
		return append(dst, `\b`...)
	case '\n':
		return append(dst, `\n`...)
	case '\t':
		return append(dst, `\t`...)
	case '\r':
		return append(dst, `\r`...)
	}
	return append(dst, '\\', 'x', hex[c>>4], hex[c&15])
}
