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

// TextOrWord returns the next value, a text or what Word returns. It passes over lists and objects.
func (r *Reader) TextOrWord() string {
	switch r.Kind() {
	case '"':
		return r.Text()
	case '[', '{':
		r.Skip()
		return ""
	}
	return r.Word()
}

// Window returns the text from where reading has got to the end of what is at hand, for loaders
// that know how their writers put things. It may end anywhere, and is valid until the next value is
// read.
func (r *Reader) Window() []byte {
	if r.err != nil {
		return nil
	}
	return r.buf[r.i:]
}

// Take passes over n bytes of the window, whole values that the loader has read there.
func (r *Reader) Take(n int) { r.i += n }
