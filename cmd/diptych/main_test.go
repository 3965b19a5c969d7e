package main

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for something that should happen soon. It is long because the
// machine may be busy.
const patience = 60 * time.Second

// asProgram makes this binary of tests behave as the program. So nothing needs to be built a second
// time, and the race detector also watches the window.
const asProgram = "DIPTYCH_TEST_AS_PROGRAM"

// TestMain keeps the programs that tests run away from the user's results and settings.
func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	dir, err := os.MkdirTemp("", "diptych-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("DIPTYCH_CACHE", dir)
	os.Setenv("DIPTYCH_CONFIG", filepath.Join(dir, "config"))
	hearSignals()
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// hearSignals lets the programs that tests run hear signals that this process was told to ignore, as
// by nohup: what a process handles, its children begin with as usual.
func hearSignals() {
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
}

// program returns the program with arguments on a display, which may be none.
func program(t *testing.T, display string, args ...string) *exec.Cmd {
	t.Helper()
	bin, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(bin, args...)
	cmd.Env = append(os.Environ(), asProgram+"=1", "DISPLAY="+display, "WAYLAND_DISPLAY=")
	return cmd
}

// display starts a display server in memory and returns its name.
func display(t *testing.T) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("Xvfb", "-displayfd", "3", "-screen", "0", "1400x900x24", "-nolisten", "tcp", "-noreset")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		t.Fatalf("Xvfb, which window tests need: %v", err)
	}
	w.Close()
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	number, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return ":" + strings.TrimSpace(number)
}

// desk drives a window with xdotool.
type desk struct {
	t       *testing.T
	display string
	window  string
}

func (d *desk) do(args ...string) string {
	d.t.Helper()
	cmd := exec.Command("xdotool", args...)
	cmd.Env = append(os.Environ(), "DISPLAY="+d.display)
	out, err := cmd.Output()
	if err != nil {
		d.t.Fatalf("xdotool %q: %v", args, err)
	}
	return strings.TrimSpace(string(out))
}

// titled waits until the window has the given title.
func (d *desk) titled(want string) {
	d.t.Helper()
	got := ""
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if got = d.do("getwindowname", d.window); got == want {
			return
		}
	}
	d.t.Fatalf("the window is called %q, want %q", got, want)
}

func TestWindowOpensAPairAndObeysKeys(t *testing.T) {
	d := &desk{t: t, display: display(t)}
	cmd := program(t, d.display, "../../testdata/chrome/go-build-cold.json.gz",
		"../../testdata/chrome/go-build-warm.json.gz", "--size", "1280x720")
	var errs strings.Builder
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })

	d.window = strings.Fields(d.do("search", "--sync", "--onlyvisible", "--name", "Diptych"))[0]
	d.titled("go-build-cold | go-build-warm – Diptych")
	d.do("windowfocus", "--sync", d.window)
	d.do("mousemove", "--window", d.window, "400", "300")
	d.do("key", "shift+x")
	d.titled("go-build-warm | go-build-cold – Diptych")
	d.do("key", "ctrl+w")
	d.titled("Diptych")
	d.do("key", "ctrl+q")
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("%v\n%s", err, errs.String())
		}
	case <-time.After(patience):
		t.Error("Ctrl-Q did not end the program")
	}
}

func TestWithoutDisplayTheWindowFailsClearly(t *testing.T) {
	cmd := program(t, "", "../../testdata/chrome/go-build-cold.json.gz")
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != 1 {
		t.Errorf("ended with %v", err)
	}
	if strings.Count(string(out), "\n") != 1 || !strings.HasPrefix(string(out), "diptych: ") {
		t.Errorf("said %q", out)
	}
}
