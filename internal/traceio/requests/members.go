package requests

import (
	"encoding/base64"
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Members writes members of a JSON object, and lists and objects below them. The zero value is
// ready for use, and Reset makes it so again.
type Members struct{ Text []byte }

// Reset forgets what was written.
func (m *Members) Reset() { m.Text = m.Text[:0] }

// Name begins a member.
func (m *Members) Name(name string) {
	m.Quote(name)
	m.Text = append(m.Text, ':')
}

// separate writes a comma if a value comes before.
func (m *Members) separate() {
	if n := len(m.Text); n > 0 {
		switch m.Text[n-1] {
		case '{', '[', ':':
		default:
			m.Text = append(m.Text, ',')
		}
	}
}

// Quote writes a text. Bytes of it that are no UTF-8 are replaced.
func (m *Members) Quote(text string) {
	m.separate()
	// An error says that bytes were replaced.
	m.Text, _ = jsontext.AppendQuote(m.Text, text)
}

// Quoted writes a text that needs no escapes.
func (m *Members) Quoted(text []byte) {
	m.separate()
	m.Text = append(append(append(m.Text, '"'), text...), '"')
}

// Int writes a number.
func (m *Members) Int(n int64) {
	m.separate()
	m.Text = strconv.AppendInt(m.Text, n, 10)
}

// Float writes a number; those that JSON has none for as texts.
func (m *Members) Float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		m.Quote(strconv.FormatFloat(f, 'g', -1, 64))
		return
	}
	m.separate()
	m.Text = strconv.AppendFloat(m.Text, f, 'g', -1, 64)
}

// Bool writes true or false.
func (m *Members) Bool(on bool) {
	m.separate()
	m.Text = strconv.AppendBool(m.Text, on)
}

// Bytes writes bytes as text, in base64.
func (m *Members) Bytes(data []byte) { m.Quote(base64.StdEncoding.EncodeToString(data)) }

// Raw writes a value that is JSON already.
func (m *Members) Raw(value []byte) {
	m.separate()
	m.Text = append(m.Text, value...)
}

// Open begins an object or a list, by its bracket.
func (m *Members) Open(bracket byte) {
	m.separate()
	m.Text = append(m.Text, bracket)
}

// Close ends it.
func (m *Members) Close(bracket byte) { m.Text = append(m.Text, bracket) }

// Said writes a member, unless its text is empty.
func (m *Members) Said(name, text string) {
	if text != "" {
		m.Name(name)
		m.Quote(text)
	}
}

// Counted writes a member, unless its number is 0.
func (m *Members) Counted(name string, n int64) {
	if n != 0 {
		m.Name(name)
		m.Int(n)
	}
}
