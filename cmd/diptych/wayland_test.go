//go:build linux && !wayland

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSwitchToWayland: where there is no X server but a Wayland compositor, the executable for
// Wayland that lies beside goes on with the same arguments.
func TestSwitchToWayland(t *testing.T) {
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	twin := filepath.Join(filepath.Dir(bin), "diptych-wayland")
	script := "#!/bin/sh\necho twin \"$@\"\n"
	if err := os.WriteFile(twin, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.Remove(twin)
	cmd := program(t, "", "open", "../../go.mod", "--size", "900x600")
	cmd.Env = append(cmd.Env, "WAYLAND_DISPLAY=somewhere")
	out, err := cmd.CombinedOutput()
	if got := strings.TrimSpace(string(out)); err != nil || got != "twin open ../../go.mod --size 900x600" {
		t.Errorf("%v, printed %q", err, got)
	}
}
