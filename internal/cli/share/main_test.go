package main

import (
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/cli"
)

// TestShare looks at what a package would install: a page for each command, which man can read, and
// icons of the sizes that their folders name.
func TestShare(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	if err := write(dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range cli.Commands().Commands() {
		page := filepath.Join(dir, "man/man1/diptych-"+c.Name()+".1")
		text, err := os.ReadFile(page)
		if err != nil {
			t.Error(err)
		}
		if want := `"1" "Sep 2001" "Diptych"`; !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s", page, want)
		}
		readable(t, page)
	}
	for _, name := range []string{"bash-completion/completions/diptych",
		"zsh/vendor-completions/_diptych", "fish/vendor_completions.d/diptych.fish",
		"icons/hicolor/scalable/apps/diptych.svg"} {
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	f, err := os.Open(filepath.Join(dir, "icons/hicolor/48x48/apps/diptych.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c, err := png.DecodeConfig(f); err != nil || c.Width != 48 || c.Height != 48 {
		t.Errorf("the icon of 48 pixels has %d × %d: %v", c.Width, c.Height, err)
	}
}

// readable has man typeset a page, if there is man, which tells what it does not understand.
func readable(t *testing.T, page string) {
	t.Helper()
	if _, err := exec.LookPath("man"); err != nil {
		return
	}
	cmd := exec.Command("man", "--warnings", "-l", page)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANWIDTH=100")
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("%s: %v\n%s", page, err, &errs)
	}
}
