package jsonin

// Word returns the next value, a number, true or false, as it is written; null is the empty one.
func (r *Reader) Word() string {
	if r.null() {
		return ""
	}
	switch r.Kind() {
	case '0', 't', 'f':
		return string(r.word())
	}
	r.expect('0')
	return ""
}
