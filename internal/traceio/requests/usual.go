package requests

import "diptych/internal/traceio/jsonin"

// Attributes are most of a file, and writers put all of them alike. So loaders look whether one
// stands in the reader's window in the usual way, before they ask for it member by member. What
// follows are the pieces of such a look; an index of −1 says that one before did not fit.

// Follows reports whether a text stands at an index, and where it ends.
func Follows(b []byte, i int, text string) (end int, ok bool) {
	end = i + len(text)
	return end, i >= 0 && end <= len(b) && string(b[i:end]) == text
}

// PlainText returns a string's content from an index on, and the index of the quote after it; −1 if
// it is not in the window, or not plain ASCII.
func PlainText(b []byte, i int) ([]byte, int) {
	end := jsonin.StringEnd(b, i)
	if end < 0 {
		return nil, -1
	}
	for _, c := range b[i:end] {
		if c < ' ' || c > '~' || c == '\\' {
			return nil, -1
		}
	}
	return b[i:end], end
}

// IsInteger reports whether a text is a number as JSON has them.
func IsInteger(text []byte) bool {
	if len(text) > 0 && text[0] == '-' {
		text = text[1:]
	}
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return len(text) == 1 || len(text) > 1 && len(text) < 19 && text[0] != '0'
}
