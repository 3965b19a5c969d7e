package otlp

import (
	"diptych/internal/traceio/jsonin"
	"diptych/internal/traceio/requests"
)

// Most of a file are attributes, and exporters write all of them alike:
//
//	{"key":"http.request.method","value":{"stringValue":"GET"}}
//
// What stands like this in the window is taken as it is, which is several times faster than to ask
// for it member by member. All else goes the usual way: other spacing, escapes, what the window
// cuts off.

const (
	beforeKey    = `{"key":"`
	beforeText   = `","value":{"stringValue":"`
	beforeNumber = `","value":{"intValue":"`
	afterValue   = `"}}`
)

// usualPair writes a key and its value as a member if they stand in the window as exporters write
// them.
func (t *document) usualPair(out *requests.Members) bool {
	b := t.Window()
	i, ok := follows(b, 0, beforeKey)
	if !ok {
		return false
	}
	key, i := plainText(b, i)
	value, text := follows(b, i, beforeText)
	if !text {
		if value, ok = follows(b, i, beforeNumber); !ok {
			return false
		}
	}
	what, end := plainText(b, value)
	next, ok := follows(b, end, afterValue)
	if !ok || next >= len(b) || !text && !isInteger(what) {
		return false
	}
	out.Quoted(key)
	out.Text = append(out.Text, ':')
	if text {
		out.Quoted(what)
	} else {
		out.Raw(what)
	}
	t.Take(next)
	return true
}

// follows reports whether a text stands at an index, and where it ends.
func follows(b []byte, i int, text string) (end int, ok bool) {
	end = i + len(text)
	return end, i >= 0 && end <= len(b) && string(b[i:end]) == text
}

// plainText returns a string's content from an index on, and the index of the quote after it; −1 if
// it is not in the window, or not plain ASCII.
func plainText(b []byte, i int) ([]byte, int) {
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

// isInteger reports whether a text is a number as JSON has them.
func isInteger(text []byte) bool {
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
