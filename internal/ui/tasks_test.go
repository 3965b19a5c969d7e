package ui

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gioui.org/io/key"
)

// TestTasks does what docs/tasks.md describes, from the empty window to the answer, and counts what
// the user does: each file dropped, click, key or drag is one action, of which there are at most
// five. With -v it prints how long the program takes.
func TestTasks(t *testing.T) {
	build := [2]string{"chrome/go-build-warm.json.gz", "chrome/go-build-cold.json.gz"}
	queues := [2]string{"uftrace/queue-2p2c.data.tar.gz", "uftrace/queue-1p3c.data.tar.gz"}
	profiles := [2]string{"pprof/pipeline-level1.cpu.pprof", "pprof/pipeline-level9.cpu.pprof"}
	for _, task := range []struct {
		name   string
		files  [2]string
		steps  []step
		answer []string // texts that the window then shows
	}{
		{"why is it slower", build, []step{click("Executing action …: its self time")},
			[]string{"explained 99 % of", "Executing action …: its self time is 2"}},
		{"who waits on whom", queues, []step{click("View: threads"), click("Show waits 3334|3353")},
			[]string{"semaphore", "3336|3354  ·  consumer"}},
		{"which code", profiles, []step{click("View: structure"), click("Show code compress/flate")},
			[]string{"+2.57 s", "compress/flate"}},
		{"more calls or longer ones", queues, []step{click("Functions"), click("Go to put"),
			click("Durations of")}, []string{"Histogram of durations", "median 44.2 µs", "median 2.40 µs"}},
		{"hand it on", build, []step{press("P", key.ModCtrl|key.ModShift), write("write a report"),
			press(key.NameReturn, 0), dialogue, press(key.NameReturn, 0)}, []string{"The report is in"}},
	} {
		t.Run(task.name, func(t *testing.T) {
			b := newBench(t)
			b.app.overlay.files.dir = t.TempDir()
			t.Setenv("DBUS_SESSION_BUS_ADDRESS", "") // no dialog of the desktop
			begun := time.Now()
			u := &busy{bench: b}
			b.app.Drop([]string{filepath.Join(testdata, task.files[0]), filepath.Join(testdata, task.files[1])})
			u.actions++
			b.settle()
			for _, step := range task.steps {
				step(u)
			}
			for _, want := range task.answer {
				if !slices.ContainsFunc(b.pic.Labels(), func(l string) bool { return strings.Contains(l, want) }) {
					t.Errorf("%q is not in the window:\n%s", want, strings.Join(b.pic.Labels(), "\n"))
				}
			}
			if u.actions > 5 {
				t.Errorf("it takes %d actions", u.actions)
			}
			t.Logf("%d actions, %.1f s", u.actions, time.Since(begun).Seconds())
		})
	}
}

// busy is a user whose actions are counted.
type busy struct {
	*bench
	actions int
}

// step is something that the user does.
type step func(u *busy)

// click clicks the first control whose name begins so.
func click(beginning string) step {
	return func(u *busy) {
		u.t.Helper()
		u.actions++
		u.clickBeginning(beginning)
	}
}

// dialogue waits for the program's own chooser, which opens once the desktop turns out to have none.
func dialogue(u *busy) {
	for u.app.overlay.page != filesPage {
		u.pic.Layout()
	}
}

func write(text string) step {
	return func(u *busy) {
		u.actions++
		u.write(text)
	}
}

func press(name key.Name, mods key.Modifiers) step {
	return func(u *busy) {
		u.actions++
		u.press(name, mods)
	}
}
