package report

import (
	"bytes"
	"context"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/align"
)

// WriteAlign writes a as one JSON object. If results are given, which a must describe, it has also
// the member "walk": a list of the objects that WriteDump writes of them.
func WriteAlign(ctx context.Context, w io.Writer, a *Align, results []*align.Result) error {
	text, err := json.Marshal(a, jsontext.WithIndent("  "), json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true)) // symbol files may hold any bytes
	if err != nil {
		return err
	}
	if results == nil {
		_, err = w.Write(append(text, '\n'))
		return err
	}
	body := bytes.TrimSuffix(text, []byte("\n}"))
	if _, err := w.Write(append(body, ",\n  \"walk\": [\n"...)); err != nil {
		return err
	}
	if err := WriteDump(ctx, &list{out: w}, results); err != nil {
		return err
	}
	_, err = io.WriteString(w, "\n  ]\n}\n")
	return err
}

// list makes the elements of a JSON list of lines: all but the last get a comma.
type list struct {
	out  io.Writer
	ends bool // what was written last ends a line
}

func (l *list) Write(text []byte) (int, error) {
	n := len(text)
	if n == 0 {
		return 0, nil
	}
	if l.ends {
		if _, err := io.WriteString(l.out, ",\n"); err != nil {
			return 0, err
		}
	}
	text, l.ends = bytes.CutSuffix(text, []byte("\n"))
	if _, err := l.out.Write(bytes.ReplaceAll(text, []byte("\n"), []byte(",\n"))); err != nil {
		return 0, err
	}
	return n, nil
}
