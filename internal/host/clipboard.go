package host

import (
	"io"
	"strings"

	"gioui.org/io/transfer"
)

// textType is the one content type that Gio's editors put on the clipboard and take from it.
const textType = "application/text"

// serveClipboard does what widgets asked for in the last layout: putting text on the clipboard, and
// reading it, which answers in the next frame.
func (s *stage) serveClipboard() {
	if _, text, ok := s.router.WriteClipboard(); ok {
		s.window.setClipboard(string(text))
	}
	if s.router.ClipboardRequested() {
		text := s.window.clipboard()
		s.queue(transfer.DataEvent{
			Type: textType,
			Open: func() io.ReadCloser { return io.NopCloser(strings.NewReader(text)) },
		})
	}
}
