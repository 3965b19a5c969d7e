package firefox

import "fmt"

// Schemas of markers say what the fields of their data are. Only those matter here whose values are
// numbers of texts in the table of strings, which may stand anywhere in the document: so a payload
// keeps the numbers until all is read.

// schemaField names a field of markers' data: the type of the markers, and the field.
type schemaField struct{ marker, field string }

// referring are the formats of fields whose values are numbers of texts.
var referring = map[string]bool{"unique-string": true, "flow-id": true, "terminating-flow-id": true}

// readSchemas reads a list of schemas. The list of fields was called data before version 55.
func (r *reader) readSchemas() {
	for range r.Elements() {
		marker, fields := "", []string(nil)
		for name := range r.Members() {
			switch name {
			case "name":
				marker = r.Text()
			case "fields", "data":
				fields = r.readReferring()
			}
		}
		for _, f := range fields {
			r.references[schemaField{marker, f}] = true
		}
	}
}

// readReferring reads a list of fields, and returns those that are numbers of texts.
func (r *reader) readReferring() (fields []string) {
	for range r.Elements() {
		key, format := "", ""
		for name := range r.Members() {
			switch {
			case name == "key":
				key = r.Text()
			case name == "format" && r.Kind() == '"':
				format = r.Text()
			}
		}
		if referring[format] {
			fields = append(fields, key)
		}
	}
	return fields
}

// reference is a text of the table of strings, which stands before an offset of a payload's text.
type reference struct {
	before int
	text   int32
}

// complete returns the text of a marker's data with the texts that it refers to.
func (t *thread) complete(p payload) string {
	if len(p.refs) == 0 {
		return p.text
	}
	var out []byte
	from := 0
	for _, r := range p.refs {
		out = append(out, p.text[from:r.before]...)
		out = fmt.Appendf(out, "%.*s", mostText, t.tables.text(r.text))
		from = r.before
	}
	return string(append(out, p.text[from:]...))
}
