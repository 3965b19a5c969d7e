package otlp

import "diptych/internal/traceio/requests"

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
	i, ok := requests.Follows(b, 0, beforeKey)
	if !ok {
		return false
	}
	key, i := requests.PlainText(b, i)
	value, text := requests.Follows(b, i, beforeText)
	if !text {
		if value, ok = requests.Follows(b, i, beforeNumber); !ok {
			return false
		}
	}
	what, end := requests.PlainText(b, value)
	next, ok := requests.Follows(b, end, afterValue)
	if !ok || next >= len(b) || !text && !requests.IsInteger(what) {
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
