package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal of so many columns: what is written to the second file can be
// read from the first.
func terminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	fd := int(screen.Fd())
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns})
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		screen.Close()
		t.Skip(err)
	}
	t.Cleanup(func() { screen.Close() })
	return screen, tty
}

// shown returns what a command shows on a terminal of so many columns, and its exit status.
func shown(t *testing.T, columns uint16, env string, args ...string) (string, int) {
	t.Helper()
	screen, tty := terminal(t, columns)
	cmd := program(t, "", args...)
	cmd.Stdin, cmd.Stdout, cmd.Env = tty, tty, append(cmd.Env, env)
	var errs strings.Builder
	cmd.Stderr = &errs
	text := make(chan string)
	go func() {
		all, _ := io.ReadAll(screen) // ends with an error once the terminal is closed
		text <- string(all)
	}()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	tty.Close()
	_ = cmd.Wait() // the status says it
	return strings.ReplaceAll(<-text, "\r\n", "\n") + errs.String(), cmd.ProcessState.ExitCode()
}

// TestTextFitsTheTerminal: lines are as wide as the terminal or as COLUMNS says, whichever is known
// better, and in a pipe as long as they are.
func TestTextFitsTheTerminal(t *testing.T) {
	pair := []string{"diff", "../../testdata/uftrace/queue-1p3c.data.tar.gz",
		"../../testdata/uftrace/queue-2p2c.data.tar.gz"}
	widest := func(text string) (most int) {
		for line := range strings.SplitSeq(text, "\n") {
			most = max(most, utf8.RuneCountInString(strings.TrimRight(line, " ")))
		}
		return most
	}
	for _, c := range []struct {
		columns uint16
		env     string
		want    int
	}{{80, "COLUMNS=", 80}, {132, "COLUMNS=", 132}, {80, "COLUMNS=70", 70}, {80, "COLUMNS=wide", 80}} {
		text, status := shown(t, c.columns, c.env, pair...)
		if most := widest(text); status != 0 || most > c.want || most < c.want-10 {
			t.Errorf("%d columns, %s: exit status %d, lines of up to %d", c.columns, c.env, status, most)
		}
	}
	cmd := program(t, "", pair...)
	cmd.Env = append(cmd.Env, "COLUMNS=70")
	if out, err := cmd.Output(); err != nil || widest(string(out)) < 200 {
		t.Errorf("a pipe gets lines of up to %d, %v", widest(string(out)), err)
	}
}

// TestNothingIsReadOrDrawnOnTerminals: nobody types a trace, and nobody reads a picture as text.
func TestNothingIsReadOrDrawnOnTerminals(t *testing.T) {
	trace := "../../testdata/chrome/go-build-cold.json.gz"
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"info", "-"}, "standard input is a terminal"},
		{[]string{"render", trace, "-o", "-"}, "this is no text"},
		{[]string{"export", trace, trace, "--to", "perfetto", "-o", "-"}, "this is no text"},
	} {
		if text, status := shown(t, 80, "COLUMNS=", c.args...); status != 2 || !strings.Contains(text, c.says) {
			t.Errorf("%q: exit status %d, %.200q", c.args, status, text)
		}
	}
}
