package cli

import (
	"strings"
	"testing"
)

// TestLicenses looks for one of each kind: ours, the language's, a module's, C code's and a font's.
func TestLicenses(t *testing.T) {
	status, out, errs := run(t, "licenses")
	if status != 0 {
		t.Fatal(errs)
	}
	for _, want := range []string{"MIT License", "The Go Authors", "github.com/spf13/cobra v",
		"Camilla Löwy", "roboto/ttfs/LICENSE"} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
