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

// isUTF16 reports whether a text begins with the mark of UTF-16. What Windows' PowerShell redirects
// to a file has it.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff"))
}

// PlainText returns a reader of a text as UTF-8 without a byte order mark. UTF-16 is known by its
// mark. Other text passes as it is, valid or not.
func PlainText(r io.Reader) io.Reader {
	b := bufio.NewReaderSize(r, 64<<10)
	head, _ := b.Peek(len(byteOrderMark))
	switch {
	case isUTF16(head):
		return transform.NewReader(b, utf16())
	case bytes.HasPrefix(head, byteOrderMark):
		_, _ = b.Discard(len(byteOrderMark)) // it was seen
	}
	return b
}

// PlainHead returns the beginning of a text as PlainText gives it, for formats to look at.
func PlainHead(head []byte) []byte {
	if !isUTF16(head) {
		return bytes.TrimPrefix(head, byteOrderMark)
	}
	plain, _, _ := transform.Bytes(utf16(), head[:len(head)&^1])
	return plain
}

func utf16() transform.Transformer {
	return unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder()
}
