//go:build linux && wayland

package host_test

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"diptych/internal/host"
)

// compositor starts Weston, nested in the tests' X server so that xdotool can act on its windows,
// and makes it the only display.
func compositor(t *testing.T) {
	t.Helper()
	display(t)
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_RUNTIME_DIR", dir)
	var said bytes.Buffer
	cmd := exec.Command("weston", "--backend=x11-backend.so", "--use-pixman", "--width=900", "--height=600",
		"--shell=kiosk-shell.so", "--socket=test", "--idle-time=0", "--no-config")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatalf("Weston, which this test needs: %v", err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
		if t.Failed() {
			t.Logf("Weston: %s", &said)
		}
	})
	until(t, "the compositor's socket", func() bool {
		_, err := os.Stat(filepath.Join(dir, "test"))
		return err == nil
	})
	t.Setenv("WAYLAND_DISPLAY", "test")
}

// TestWayland: the window opens, draws and hears the pointer where no X server is named.
func TestWayland(t *testing.T) {
	compositor(t)
	x11 := os.Getenv("DISPLAY")
	t.Setenv("DISPLAY", "")
	w := &window{testApp: newTestApp()}
	w.done = onMain(func() {
		w.err = host.Run(host.Options{Size: image.Pt(800, 500), Scale: 1}, w.testApp)
	})
	t.Cleanup(func() {
		w.command(func(f host.Frame) { f.Window.Close() })
		<-w.done
		if w.err != nil {
			t.Errorf("Run: %v", w.err)
		}
	})
	until(t, "a first frame", func() bool { return w.count() > 0 || w.ended() })
	t.Setenv("DISPLAY", x11)
	found := strings.Fields(xdo(t, "search", "--sync", "--onlyvisible", "--class", "^[Ww]eston"))
	screen := found[len(found)-1]
	xdo(t, "windowmove", "--sync", screen, "0", "0", "windowfocus", "--sync", screen)
	step := 0
	until(t, "the pad hears the pointer", func() bool {
		step++
		xdo(t, "mousemove", fmt.Sprint(100+step%50), "300")
		return see(w.testApp, func(a *testApp) int { return len(a.events) }) > 0 || w.ended()
	})
}
