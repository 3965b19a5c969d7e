package jsonin

import (
	"iter"
	"math"
	"strconv"
)

// Lists of numbers make up most of a profile, so they have a way of their own: jsontext checks a
// whole list at once, and then its text needs no further check. The list is held in memory as text
// meanwhile.

// Ints yields the numbers of the array that is next, without their fractions; null is an empty one.
// An element that is null, or no number that fits, is not ok; only null is no misfit.
func (r *Reader) Ints() iter.Seq2[int64, bool] {
	return func(yield func(int64, bool) bool) {
		for number := range r.numbers() {
			n, rest := leadingInt(number)
			if ok := rest == 0; ok || !r.isNumber(number) {
				if !yield(n, ok) {
					return
				}
				continue
			}
			n, ok := r.whole(number)
			if !yield(n, ok) {
				return
			}
		}
	}
}

// Floats yields the numbers of the array that is next as Ints does.
func (r *Reader) Floats() iter.Seq2[float64, bool] {
	return func(yield func(float64, bool) bool) {
		for number := range r.numbers() {
			f, ok := 0., r.isNumber(number)
			if ok {
				f, ok = r.fraction(number)
			}
			if !yield(f, ok) {
				return
			}
		}
	}
}

// numbers yields the elements of the array that is next, as text.
func (r *Reader) numbers() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		if r.null() || !r.expect('[') {
			return
		}
		list, _ := r.value()
		for i := 1; i < len(list); {
			switch list[i] {
			case ' ', '\t', '\r', '\n', ',':
				i++
			case ']':
				return
			default:
				end := elementEnd(list, i)
				if !yield(list[i:end]) {
					return
				}
				i = end
			}
		}
	}
}

// isNumber reports whether an element of a list of numbers is one, and counts it if it is something
// else than null.
func (r *Reader) isNumber(element []byte) bool {
	switch c := element[0]; {
	case c == '-' || c >= '0' && c <= '9':
		return true
	case c != 'n':
		r.tell("in the list before offset %d: %s where %s belongs", r.d.InputOffset(),
			kindNames[kindOf(c)], kindNames['0'])
	}
	return false
}

// elementEnd returns the end of the element at i of the sound list. Values within it are not looked
// at, but for the quotes and brackets that say where it ends.
func elementEnd(list []byte, i int) int {
	for depth := 0; i < len(list); i++ {
		switch list[i] {
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return i
			}
			depth--
		case ',':
			if depth == 0 {
				return i
			}
		case ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
		case '"':
			for i++; i < len(list) && list[i] != '"'; i++ {
				if list[i] == '\\' {
					i++
				}
			}
		}
	}
	return i
}

// leadingInt returns the number that the digits at the beginning of a text are, and how many bytes
// follow them. All are said to follow a number of more than 18 digits.
func leadingInt(text []byte) (n int64, rest int) {
	digits := text
	if text[0] == '-' {
		digits = text[1:]
	}
	i := 0
	for i < len(digits) && digits[i]-'0' <= 9 {
		if i == 18 {
			return 0, len(text)
		}
		n = 10*n + int64(digits[i]-'0')
		i++
	}
	if i == 0 {
		return 0, len(text)
	}
	if len(digits) < len(text) {
		n = -n
	}
	return n, len(digits) - i
}

// whole returns a number without its fraction.
func (r *Reader) whole(number []byte) (int64, bool) {
	if n, rest := leadingInt(number); rest == 0 {
		return n, true
	}
	if n, err := strconv.ParseInt(string(number), 10, 64); err == nil {
		return n, true
	}
	f, ok := r.fraction(number)
	if ok && math.Abs(f) >= 1<<63 {
		r.tell("%s is too large a number", number)
		return 0, false
	}
	return int64(f), ok
}

// fraction returns a number.
func (r *Reader) fraction(number []byte) (float64, bool) {
	if n, rest := leadingInt(number); rest == 0 && n < 1<<53 && n > -1<<53 {
		return float64(n), true
	}
	f, err := strconv.ParseFloat(string(number), 64)
	if err != nil {
		r.tell("%.40s is too large a number", number)
		return 0, false
	}
	return f, true
}
