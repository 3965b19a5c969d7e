package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// hostile writes a trace in which every text has a byte that is no UTF-8, and one that ends in half
// a letter. Names are long, so that whatever shortens them has the chance to cut a letter.
func hostile(t *testing.T, dir, name string, times int) string {
	t.Helper()
	long := strings.Repeat("größe", 40)
	event := `{"ph":"X","name":"read ` + long + "\xe9" + `","cat":"k\xffä","ts":TS,"dur":5,"pid":"p\xfe","tid":"t\xfe",
		"args":{"fd":"/tmp/\xe9\xc3"}},
	{"ph":"X","name":"gr\xc3","cat":"c\xc3","ts":TS,"dur":7,"pid":"p\xfe","tid":"u\xc3","args":{"detail":"/a/\xe9.h"}},
	{"ph":"X","name":"sem_wait","ts":TS,"dur":4,"pid":"p\xfe","tid":"u\xc3","args":{"arguments":"(\"s\xe9\")"}},
	{"ph":"C","name":"n\xff","ts":TS,"pid":"p\xfe","args":{"s\xff":1}},
	{"ph":"b","name":"async\xff","cat":"a\xff","id":"i\xff","ts":TS,"pid":"p\xfe","tid":"t\xfe"},
	{"ph":"M","name":"thread_name","pid":"p\xfe","tid":"t\xfe","args":{"name":"faden\xc3"}},
	{"ph":"M","name":"process_name","pid":"p\xfe","args":{"name":"prozess\xc3"}}`
	event = strings.NewReplacer(`\xff`, "\xff", `\xfe`, "\xfe", `\xe9`, "\xe9", `\xc3`, "\xc3").Replace(event)
	var events []string
	for i := range times {
		events = append(events, strings.ReplaceAll(event, "TS", string(rune('1'+i))+"0"))
	}
	file := filepath.Join(dir, name)
	text := `{"otherData":{"tool":"t` + "\xe9" + `"},"traceEvents":[` + strings.Join(events, ",") + "]}"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestEveryOutputIsValid: a name that is not UTF-8 is valid input, and whatever a command prints or
// writes of it is valid.
func TestEveryOutputIsValid(t *testing.T) {
	dir := t.TempDir()
	a, b := hostile(t, dir, "a\xe9.json", 3), hostile(t, dir, "b\xe9.json", 8)
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{"info", a}, {"info", "--json", a, b}, {"info", "--check", a, b},
		{"match", a, b}, {"match", "--json", a, b},
		{"align", a, b}, {"align", "--json", a, b}, {"align", a, b, "--dump", out},
		{"waits", a}, {"waits", "--json", a}, {"waits", a, b}, {"waits", "--json", a, b},
		{"structure", a, b}, {"structure", "--json", a, b},
		{"aggregate", a}, {"aggregate", "--json", "--slices", "9", a},
		{"aggregate", "--json", "--slices", "9", a, b}, {"aggregate", "--slices", "9", a, b},
		{"diff", a, b}, {"diff", "--format", "json", a, b}, {"diff", "--format", "md", a, b},
		{"diff", "--format", "github", a, b}, {"diff", "--format", "junit", a, b},
		{"report", a, b, "-o", out}, {"report", a, b, "--to", "md"},
		{"export", a, b, "--to", "chrome", "-o", out}, {"export", a, b, "--to", "csv", "-o", out},
		{"export", a, b, "--to", "json", "-o", out}, {"export", a, b, "--to", "speedscope", "-o", out},
		{"export", a, b, "--to", "chrome", "--no-args", "-o", out},
		{"export", a, b, "--to", "folded", "-o", out},
		{"export", a, b, "--to", "csv", "--table", "calls", "-o", out},
		{"export", a, b, "--to", "csv", "--table", "pairs", "-o", out},
	} {
		os.Remove(out)
		status, printed, errs := run(t, args...)
		if status != 0 {
			t.Errorf("%q: %s", args, errs)
			continue
		}
		written, _ := os.ReadFile(out)
		text := printed + string(written)
		if !utf8.ValidString(text) || strings.ContainsRune(text, utf8.RuneError) {
			t.Errorf("%q writes %.2000q", args, text)
		}
		for in := json.NewDecoder(strings.NewReader(text)); slices.Contains(args, "--json") && in.More(); {
			var v any
			if err := in.Decode(&v); err != nil {
				t.Fatalf("%q: %v", args, err)
			}
		}
	}
	t.Run("all functions are told apart", func(t *testing.T) {
		got := runJSON(t, "info", a)
		if n := got["functions"].(float64); n != 5 {
			t.Errorf("%v functions", n)
		}
		if text, _ := json.Marshal(got["diagnostics"]); !bytes.Contains(text, []byte(`"not-utf8"`)) {
			t.Errorf("diagnostics %s", text)
		}
	})
}
