package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestSignalsCloseTheWindow ends a window by each signal that asks a program to end: the exit status
// says which it was, as that of every other command.
func TestSignalsCloseTheWindow(t *testing.T) {
	d := &desk{t: t, display: display(t)}
	for signal, status := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143, syscall.SIGHUP: 129} {
		cmd := program(t, d.display, "../../testdata/chrome/go-build-cold.json.gz")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		d.window = strings.Fields(d.do("search", "--sync", "--onlyvisible", "--name", "Diptych"))[0]
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := endsSoon(t, cmd); cmd.ProcessState.ExitCode() != status {
			t.Errorf("%v: %v, want exit status %d", signal, err, status)
		}
	}
}

// endsSoon waits for a program's end.
func endsSoon(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(patience):
		cmd.Process.Kill()
		t.Fatal("the program does not end")
		return nil
	}
}

// waiting starts a command that reads a pipe to which nobody writes, and returns when it does.
func waiting(t *testing.T, pipe string, wrap ...string) (*exec.Cmd, *bytes.Buffer, *os.File) {
	t.Helper()
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, "", "info", pipe)
	if wrap != nil {
		args := cmd.Args
		env := cmd.Env
		cmd = exec.Command(wrap[0], append(wrap[1:], args...)...)
		cmd.Env = env
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until it is read
	if err != nil {
		t.Fatal(err)
	}
	return cmd, &errs, w
}

// TestPipeIsInterrupted: a command that waits for a pipe says that it was cancelled, and by which
// signal in its exit status.
func TestPipeIsInterrupted(t *testing.T) {
	for signal, status := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143,
		syscall.SIGHUP: 129} {
		cmd, errs, w := waiting(t, filepath.Join(t.TempDir(), "pipe"))
		defer w.Close()
		if err := cmd.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		err := endsSoon(t, cmd)
		if err == nil || cmd.ProcessState.ExitCode() != status || errs.String() != "diptych: cancelled\n" {
			t.Errorf("%v: %v, %s", signal, err, errs)
		}
	}
}

// TestInterruptedWorkLeavesNothing: each command that writes is interrupted while it waits for the
// second trace from standard input. What its output held before is still there, and nothing else.
func TestInterruptedWorkLeavesNothing(t *testing.T) {
	trace := "../../testdata/chrome/go-build-cold.json.gz"
	for _, args := range [][]string{{"export", "--to", "csv", "-o"}, {"align", "--dump"},
		{"render", "-o"}} {
		dir := t.TempDir()
		out := filepath.Join(dir, "out.png")
		if err := os.WriteFile(out, []byte("before"), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := program(t, "", append(args, out, trace, "-")...)
		cmd.Env = append(cmd.Env, "TMPDIR="+dir)
		stdin, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		var errs bytes.Buffer
		cmd.Stderr = &errs
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		whileRead(t, stdin)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := endsSoon(t, cmd); cmd.ProcessState.ExitCode() != 130 || errs.String() != "diptych: cancelled\n" {
			t.Errorf("%q: %v, %s", args, err, errs.String())
		}
		files, err := os.ReadDir(dir)
		text, readErr := os.ReadFile(out)
		if err != nil || readErr != nil || len(files) != 1 || string(text) != "before" {
			t.Errorf("%q leaves %q and %v", args, text, files)
		}
	}
}

// whileRead writes more than a pipe holds, so it returns while the other end is being read.
func whileRead(t *testing.T, w io.Writer) {
	t.Helper()
	text := "[" + strings.Repeat(`{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1},`+"\n", 1<<14)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
}

// TestIgnoredSignalsStayIgnored: a command that is to outlive its terminal, as nohup has it, does.
func TestIgnoredSignalsStayIgnored(t *testing.T) {
	cmd, errs, w := waiting(t, filepath.Join(t.TempDir(), "pipe"), "sh", "-c",
		`trap "" HUP; exec "$0" "$@"`)
	if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if _, err := w.WriteString(`[{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}]`); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if err := endsSoon(t, cmd); err != nil {
		t.Errorf("%v, %s", err, errs)
	}
}

// TestMissingRenderer: without a driver for OpenGL the message says what to install, for pictures
// and for windows.
func TestMissingRenderer(t *testing.T) {
	trace := "../../testdata/chrome/go-build-cold.json.gz"
	picture := program(t, "", "render", trace, "-o", filepath.Join(t.TempDir(), "out.png"))
	window := program(t, display(t), trace)
	for _, cmd := range []*exec.Cmd{picture, window} {
		cmd.Env = append(cmd.Env, "__EGL_VENDOR_LIBRARY_DIRS=/none", "__EGL_VENDOR_LIBRARY_FILENAMES=/none")
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 1 || strings.Count(string(out), "\n") != 1 ||
			!strings.Contains(string(out), "install the packages libegl1 and libgl1-mesa-dri") {
			t.Errorf("%v, %s", err, out)
		}
	}
}
