package input

import (
	"bufio"
	"bytes"
	"io"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// byteOrderMark begins UTF-8 text that was written on Windows.
var byteOrderMark = []byte("\xef\xbb\xbf")

// What Windows' PowerShell redirects to a file is UTF-16 with a mark. Other programs leave out the
// mark: then it is certain from the first letters. Those of all formats are of ASCII, so that every
// other byte is a zero; no text in UTF-8 has any.
const (
	leastWide = 4  // letters that show it
	mostWide  = 16 // that are looked at
)

// wide returns how to read a text that begins so if it is UTF-16, and nil if not.
func wide(head []byte) transform.Transformer {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
	case alternates(head, 0):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewDecoder()
	case alternates(head, 1):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewDecoder()
	}
	return nil
}

// IsUTF16 reports whether a text that begins so is UTF-16.
func IsUTF16(head []byte) bool { return wide(head) != nil }

// alternates reports whether each pair of the first bytes is a letter of ASCII, as its byte of this
// index, and a zero.
func alternates(head []byte, letter int) bool {
	n := min(len(head)/2, mostWide)
	for i := range n {
		c := head[2*i+letter]
		if head[2*i+1-letter] != 0 || c >= 0x7f || c < ' ' && c != '\t' && c != '\n' && c != '\r' {
			return false
		}
	}
	return n >= leastWide
}

// PlainText returns a reader of a text as UTF-8 without a byte order mark. Other text than UTF-16
// passes as it is, valid or not.
func PlainText(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(2 * mostWide)
	if decoder := wide(head); decoder != nil {
		return transform.NewReader(b, decoder)
	}
	if bytes.HasPrefix(head, byteOrderMark) {
		_, _ = b.Discard(len(byteOrderMark)) // it was seen
	}
	return b
}

// IntactHead is PlainHead without what comes after the last whole line before a NUL byte: a crash
// can leave a block of these in a text. It is empty if the first line has one.
func IntactHead(head []byte) []byte {
	plain := PlainHead(head)
	if i := bytes.IndexByte(plain, 0); i >= 0 {
		plain = plain[:bytes.LastIndexByte(plain[:i], '\n')+1]
	}
	return plain
}

// PlainHead returns the beginning of a text as PlainText gives it, for formats to look at.
func PlainHead(head []byte) []byte {
	decoder := wide(head)
	if decoder == nil {
		return bytes.TrimPrefix(head, byteOrderMark)
	}
	plain, _, _ := transform.Bytes(decoder, head[:len(head)&^1])
	return plain
}
