package perfscript

import (
	"bytes"
	"strings"

	"diptych/internal/traceio/input"
)

// Sniff reports whether the source is text that perf script prints: most of its first lines are
// comments, heads of samples, or frames below them, and a sample names an event or has a frame. If
// the heads name no command or no thread, only frames tell: lines of other tools have names, times
// and events too.
func Sniff(src *input.Source) bool {
	head := input.IntactHead(src.Head)
	heads, frames, others, events := 0, 0, 0, 0
	const mostLines = 400
	for range mostLines {
		line, rest, ended := bytes.Cut(head, []byte("\n"))
		if !ended && len(rest) == 0 && len(line) == 0 {
			break
		}
		head = rest
		text := strings.TrimRight(string(line), " \t\r")
		indented := strings.HasPrefix(text, "\t") || strings.HasPrefix(text, " ")
		switch h, ok := parseHeader(text); {
		case text == "" || text[0] == '#':
		case ok && (h.tid != "" || !indented):
			heads++
			if h.comm != "" && h.tid != "" && h.event != "" && strings.Contains(text, h.event+":") {
				events++
			}
		case indented && heads > 0 && isFrame(strings.TrimSpace(text)):
			frames++
		case strings.Contains(text, "PERF_RECORD_"):
		default:
			others++
		}
	}
	return heads > 0 && frames+events > 0 && 4*others <= heads+frames
}

// isFrame reports whether an indented line looks like a frame, or like the place of one.
func isFrame(text string) bool {
	return strings.HasSuffix(text, ")") || startsWithAddress(text) || isPlace(text)
}
