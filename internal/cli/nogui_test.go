//go:build nogui

package cli

import (
	"strings"
	"testing"
)

// TestNoWindow gives the commands that draw flags that they have in other builds: each says why it
// does nothing, and nothing else.
func TestNoWindow(t *testing.T) {
	for _, args := range []string{"", "a.json b.json", "open a.json --size 800x600",
		"render a.json --view matches -o out.png", "render --set theme=dark"} {
		status, out, errs := run(t, strings.Fields(args)...)
		if status != 1 || out != "" || errs != "diptych: "+errNoWindow.Error()+"\n" {
			t.Errorf("diptych %s: %d, %s%s", args, status, out, errs)
		}
	}
}
