package main

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFullDisk runs the commands that write files where a file can have so many bytes and no more,
// which fails at the first write, at one of the next, or not at all: a command that fails says so
// in one line that names its output, and leaves what was there.
func TestFullDisk(t *testing.T) {
	above := t.TempDir()
	pairAbove(t, above)
	for _, w := range writers {
		dir := filepath.Join(above, w.name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, blocks := range w.blocks {
			w.old(t, dir)
			before := w.digests(t, dir)
			cmd := w.command(t, dir)
			cmd.Args = append([]string{"sh", "-c", `trap "" XFSZ; ulimit -f $0; exec "$@"`, blocks},
				cmd.Args...)
			sh, err := exec.LookPath("sh")
			if err != nil {
				t.Fatal(err)
			}
			cmd.Path = sh
			var errs bytes.Buffer
			cmd.Stderr = &errs
			err = cmd.Run()
			says := errs.String()
			named := slices.ContainsFunc(w.targets, func(target string) bool {
				return says == "diptych: "+target+": cannot write: file too large\n"
			})
			switch {
			case err == nil && blocks == "0":
				t.Errorf("%s writes without room", w.name)
			case err != nil && (cmd.ProcessState.ExitCode() != 1 || !named):
				t.Errorf("%s, %s blocks: %v, %s", w.name, blocks, err, says)
			case err != nil && !maps.Equal(w.digests(t, dir), before):
				t.Errorf("%s, %s blocks: changed", w.name, blocks)
			}
			w.nothingElse(t, dir)
		}
	}
}

// TestFullStandardOutput prints where there is no room.
func TestFullStandardOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	dir := t.TempDir()
	pairAbove(t, dir)
	for _, command := range []string{"info a.json", "match --groups a.json b.json",
		"align --json a.json b.json", "--help"} {
		cmd := program(t, "", strings.Fields(command)...)
		cmd.Dir, cmd.Stdout = dir, full
		var errs bytes.Buffer
		cmd.Stderr = &errs
		err := cmd.Run()
		want := "diptych: standard output: cannot write: no space left on device\n"
		if err == nil || cmd.ProcessState.ExitCode() != 1 || errs.String() != want {
			t.Errorf("%s: %v, %s", command, err, &errs)
		}
	}
}
