package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
)

// TestSettingsAreKept: a batch knows how it was compared, whatever rules were given.
func TestSettingsAreKept(t *testing.T) {
	m, home := listing(t, 1, nil), t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		renames := rapid.SliceOfN(rapid.StringMatching(`[a-z,"' \[\]\n]{1,8}=[A-Z,"\[\]]{1,4}|/\[?x+\]?/=\$1`), 0, 3).
			Draw(rt, "renames")
		names, err := pair.ParseRules(rapid.Bool().Draw(rt, "raw"), renames)
		if err != nil {
			rt.Skip(err)
		}
		text := rapid.SampledFrom([]string{"", " x"})
		want := Settings{Version: "1", Names: names, Strict: rapid.Bool().Draw(rt, "strict"),
			SampleType: text.Draw(rt, "sample type"), Trace: text.Draw(rt, "trace"), Format: text.Draw(rt, "format")}
		options, rules, err := want.options()
		if err != nil || rules != nil {
			rt.Fatal(rules, err)
		}
		of, err := Describe(m, options)
		if err != nil {
			rt.Fatal(err)
		}
		dir, err := os.MkdirTemp(home, "")
		if err != nil {
			rt.Fatal(err)
		}
		d, err := begin(dir, m, of, rules)
		if err != nil {
			rt.Fatal(err)
		}
		if d, err = OpenDirectory(d.Path); err != nil {
			rt.Fatal(err)
		}
		got, err := d.Settings()
		if err != nil {
			rt.Fatal(err)
		}
		if x, y := listed(got.Names.Renames), listed(want.Names.Renames); x != y || got.Names.Raw != names.Raw {
			rt.Errorf("rules of names %v %s, want %v %s", got.Names.Raw, x, names.Raw, y)
		}
		for k, r := range got.Names.Renames {
			if r.String() != renames[k] {
				rt.Errorf("rule %q, want %q", r, renames[k])
			}
		}
		if got.Strict != want.Strict || got.SampleType != want.SampleType || got.Trace != want.Trace ||
			got.Format != want.Format || got.Version != want.Version {
			rt.Errorf("settings %+v, want %+v", got, want)
		}
	})
}

// TestUnkeptRename: a rule that would be read from the batch as another one is refused.
func TestUnkeptRename(t *testing.T) {
	names, err := pair.ParseRules(false, []string{"/a\r\n/=b"})
	if err != nil {
		t.Fatal(err)
	}
	s := Settings{Names: names}
	if _, _, err := s.options(); err == nil || !strings.Contains(err.Error(), "cannot keep a carriage return") {
		t.Errorf("%v", err)
	}
}

// TestSettingsAreText: batch.json is JSON, so what is no text is refused before anything is made.
func TestSettingsAreText(t *testing.T) {
	names, err := pair.ParseRules(false, []string{"a\xff=b"})
	if err != nil {
		t.Fatal(err)
	}
	for flag, s := range map[string]Settings{`--rename "[a\xff=b]"`: {Names: names}, `--trace "\xfe"`: {Trace: "\xfe"}} {
		if _, _, err := s.options(); err == nil || !strings.Contains(err.Error(), flag+": it is not UTF-8") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// TestRulesAreKept: the batch has a copy of the file of rules. Who resumes it with other rules is
// refused, and settings whose rules are gone or replaced say so.
func TestRulesAreKept(t *testing.T) {
	m := listing(t, 2, nil)
	file := filepath.Join(t.TempDir(), "spin.rules")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, "wait spin\n")
	dir := filepath.Join(t.TempDir(), "out")
	o := Options{Compared: Compared{Load: made(t)}, Shard: Whole, Settings: Settings{RulesFile: file}}
	ran, err := Run(t.Context(), m, dir, o)
	if err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, rulesIn)
	s, err := ran.Settings()
	if text, unread := os.ReadFile(s.RulesFile); err != nil || unread != nil || s.RulesFile != kept ||
		string(text) != "wait spin\n" {
		t.Errorf("rules %q in %q: %v, %v", text, s.RulesFile, err, unread)
	}
	o.Resume = true
	if _, err := Run(t.Context(), m, dir, o); err != nil {
		t.Errorf("the same rules: %v", err)
	}
	write(file, "wait turn\n")
	if _, err := Run(t.Context(), m, dir, o); err == nil || !strings.Contains(err.Error(), "rules is") {
		t.Errorf("other rules: %v", err)
	}
	write(kept, "wait turn\n")
	if s, err := ran.Settings(); err == nil || s.RulesFile != "" {
		t.Errorf("rules that were replaced: %q, %v", s.RulesFile, err)
	}
	if err := os.Remove(kept); err != nil {
		t.Fatal(err)
	}
	if s, err := ran.Settings(); err == nil || s.RulesFile != "" || !strings.Contains(err.Error(), "gone") {
		t.Errorf("rules that are gone: %q, %v", s.RulesFile, err)
	}
}

// TestBrokenRenames: of a batch.json that was edited badly all is known but the renames.
func TestBrokenRenames(t *testing.T) {
	for _, text := range []string{`["a]`, "[a]", "[/(/=b]"} {
		d := &Directory{Description: Description{Options: map[string]string{keyRename: text, keyStrict: "true"}}}
		if s, err := d.Settings(); err == nil || !strings.Contains(err.Error(), "rename") || !s.Strict ||
			len(s.Names.Renames) > 0 {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
}
