package folded

import (
	"regexp"
	"strconv"
	"strings"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// splitFrames appends the frames of a stack. They are separated by semicolons, but some tools leave
// those within a name as they are: Rust's <[u8; 4] as Debug>::fmt. So a semicolon between brackets
// is part of a name. Where brackets do not balance, as in operator< or in a name that was cut,
// every semicolon separates.
func splitFrames(parts []string, stack string) []string {
	if !strings.ContainsAny(stack, "<([") {
		return appendSplit(parts, stack)
	}
	from, depth, before := 0, 0, len(parts)
	for i := range len(stack) {
		switch stack[i] {
		case '<', '(', '[':
			depth++
		case '>':
			if i > 0 && (stack[i-1] == '-' || stack[i-1] == '=') {
				continue // an arrow
			}
			depth--
		case ')', ']':
			depth--
		case ';':
			if depth == 0 {
				parts = append(parts, stack[from:i])
				from = i + 1
			}
		}
		if depth < 0 {
			break
		}
	}
	if depth != 0 {
		return appendSplit(parts[:before], stack)
	}
	return append(parts, stack[from:])
}

func appendSplit(parts []string, stack string) []string {
	for part := range strings.SplitSeq(stack, ";") {
		parts = append(parts, part)
	}
	return parts
}

// annotations are what stackcollapse-perf.pl --all appends to names.
var annotations = map[string]string{"_[k]": "kernel", "_[j]": "jit", "_[i]": "", "_[w]": ""}

// place is the file and line that py-spy and others write behind a name.
var place = regexp.MustCompile(`^(.+) \(([^()]+):(\d+)\)$`)

// readFrame returns the function that a frame names.
func readFrame(text string) trace.Function {
	f := trace.Function{Name: text}
	if n := len(text) - len("_[k]"); n > 0 {
		if in, known := annotations[text[n:]]; known {
			f.Name, f.Module = text[:n], in
		}
	}
	if m := place.FindStringSubmatch(f.Name); m != nil {
		if line, err := strconv.ParseInt(m[3], 10, 32); err == nil {
			f.Name, f.File, f.Line = m[1], m[2], int32(line)
		}
	}
	if module, _, ok := strings.Cut(f.Name, "`"); ok && f.Module == "" { // DTrace: libc.so.1`malloc
		f.Module = module
	}
	if f.Name == "" {
		f.Name = "(anonymous)"
	}
	if f.Package = f.Module; f.Package == "" {
		f.Package = qualified.Package(f.Name)
	}
	return f
}
