package blocking

import (
	"regexp/syntax"
	"unicode/utf8"
)

// first are the bytes with which a text may begin that an expression matches. Most names begin as
// no expression does that could match them: trying all fifty took a tenth of the time of loading a
// small trace of many functions.
type first [256]bool

// firstOf returns the bytes for an expression as the package regexp writes it. The empty text has
// no first byte, so it counts for none of them.
func firstOf(expr string) *first {
	var f first
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil || f.add(re) {
		f.addAll() // what follows an expression that may match nothing is not known
	}
	return &f
}

func (f *first) addAll() {
	for i := range f {
		f[i] = true
	}
}

// addRunes adds the characters of a range. Beyond ASCII it adds all bytes that are not: that also
// holds for those that are no UTF-8, which an expression takes for U+FFFD.
func (f *first) addRunes(from, to rune) {
	for r := from; r <= to && r < utf8.RuneSelf; r++ {
		f[r] = true
	}
	if to >= utf8.RuneSelf {
		for i := utf8.RuneSelf; i < len(f); i++ {
			f[i] = true
		}
	}
}

// add adds what a part of an expression may begin with, and reports whether it may match nothing,
// so that what follows it counts too.
func (f *first) add(re *syntax.Regexp) (mayBeEmpty bool) {
	switch re.Op {
	case syntax.OpNoMatch:
		return false
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 {
			f.addAll()
		}
		f.addRunes(re.Rune[0], re.Rune[0])
		return false
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			f.addRunes(re.Rune[i], re.Rune[i+1])
		}
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return f.add(re.Sub[0])
	case syntax.OpStar, syntax.OpQuest:
		f.add(re.Sub[0])
		return true
	case syntax.OpRepeat:
		return f.add(re.Sub[0]) || re.Min == 0
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if !f.add(sub) {
				return false
			}
		}
		return true
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			mayBeEmpty = f.add(sub) || mayBeEmpty
		}
		return mayBeEmpty
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		f.addAll()
		return false
	default: // assertions such as ^ and \b take no characters
		return true
	}
}
