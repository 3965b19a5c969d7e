package host_test

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// patience is how long a test waits for something that should happen at once. It is long because
// the machine may be busy.
const patience = 30 * time.Second

// xvfb is a display server in memory that the window tests of this process share.
var xvfb struct {
	once sync.Once
	cmd  *exec.Cmd
	name string
	err  error
}

// display starts the display server with the first call and makes it the one windows open on.
func display(t *testing.T) {
	t.Helper()
	xvfb.once.Do(startDisplay)
	if xvfb.err != nil {
		t.Fatalf("Xvfb, which window tests need: %v", xvfb.err)
	}
	t.Setenv("DISPLAY", xvfb.name)
}

// startDisplay has Xvfb choose a free display number and tell it through a pipe. It must not begin
// anew when its last window closes: while it does, it refuses whoever opens the next.
func startDisplay() {
	r, w, err := os.Pipe()
	if err != nil {
		xvfb.err = err
		return
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	if xvfb.err = cmd.Start(); xvfb.err != nil {
		w.Close()
		return
	}
	w.Close()
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		xvfb.err = err
		return
	}
	xvfb.cmd, xvfb.name = cmd, ":"+strings.TrimSpace(number)
}

func stopDisplay() {
	if xvfb.cmd != nil {
		xvfb.cmd.Process.Kill()
		xvfb.cmd.Wait()
	}
}

// xdo has xdotool act as the user does and returns what it prints.
func xdo(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "xdotool", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("xdotool %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// until waits for a condition, looking again and again.
func until(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never happened: %s", what)
		}
	}
}
