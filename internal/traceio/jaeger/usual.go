package jaeger

import "diptych/internal/traceio/requests"

// Most of a file are tags, and Jaeger writes all of them alike:
//
//	{"key":"http.method","type":"string","value":"GET"}
//
// What stands like this in the window is taken as it is; all else goes the usual way.

const (
	beforeKey   = `{"key":"`
	beforeType  = `","type":"`
	beforeValue = `","value":`
)

// told are the tags that are looked at.
var told = map[string]bool{"span.kind": true, "otel.scope.name": true, "otel.library.name": true,
	"component": true, "event": true, "message": true, "jaeger.version": true,
	"telemetry.sdk.language": true, "service.namespace": true}

// usualTag writes a tag as a member if it stands in the window as Jaeger writes it, and nobody
// looks at it. Its value is a text or a whole number, and it is not of type bool.
func (l *loader) usualTag(out *requests.Members) bool {
	b := l.Window()
	i, ok := requests.Follows(b, 0, beforeKey)
	if !ok {
		return false
	}
	key, i := requests.PlainText(b, i)
	i, ok = requests.Follows(b, i, beforeType)
	if !ok || told[string(key)] {
		return false
	}
	kind, i := requests.PlainText(b, i)
	if i, ok = requests.Follows(b, i, beforeValue); !ok || string(kind) == "bool" || i >= len(b) {
		return false
	}
	var value []byte
	end := i
	text := b[i] == '"'
	if text {
		if value, end = requests.PlainText(b, i+1); end < 0 {
			return false
		}
		end++
	} else {
		for end < len(b) && (b[end] >= '0' && b[end] <= '9' || b[end] == '-') {
			end++
		}
		if value = b[i:end]; !requests.IsInteger(value) {
			return false
		}
	}
	next, ok := requests.Follows(b, end, "}")
	if !ok {
		return false
	}
	out.Quoted(key)
	out.Text = append(out.Text, ':')
	if text {
		out.Quoted(value)
	} else {
		out.Raw(value)
	}
	l.Take(next)
	return true
}
