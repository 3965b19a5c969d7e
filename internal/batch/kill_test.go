package batch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// How many pairs the batch has that is killed, and how often it is.
var pairsKilled, kills = testtrace.Sized(24, 200), testtrace.Sized(3, 50)

// loadingKilled is how long loading takes at the least: two processors need the pairs' number of
// it.
const loadingKilled = 2 * time.Millisecond

// victim is the environment variable that makes the test below the process that is killed: the
// batch's directory.
const victim = "DIPTYCH_BATCH_VICTIM"

// victimShard is that of the shard it takes.
const victimShard = "DIPTYCH_BATCH_VICTIM_SHARD"

// TestKilledAndResumed kills a process that runs a batch, again and again, at any moment. Resumed
// each time, the batch is in the end that of one run, to the byte, and nothing else is left.
func TestKilledAndResumed(t *testing.T) {
	if dir := os.Getenv(victim); dir != "" {
		beKilled(t, dir)
		return
	}
	root := t.TempDir()
	whole, killed := filepath.Join(root, "whole"), filepath.Join(root, "killed")
	ran(t, toKill(whole), whole, Options{Workers: 2, Shard: Whole})
	r := rand.New(rand.NewPCG(18, 5))
	hit := 0
	for range kills {
		after := r.Int64N(int64(loadingKilled) * int64(pairsKilled) * 3 / 2 / int64(kills))
		if kill(t, killed, time.Duration(after)) {
			hit++
		}
	}
	if hit < kills/2 {
		t.Errorf("%d of %d processes were killed, the others were done before", hit, kills)
	}
	left := ran(t, toKill(killed), killed, Options{Workers: 2, Shard: Whole, Resume: true})
	alike(t, tree(t, whole), killed, fmt.Sprintf("killed %d times, with %d left", hit, left.Done))
}

// toKill returns the manifest of a batch that is killed.
func toKill(dir string) *Manifest {
	m := &Manifest{Path: filepath.Join(filepath.Dir(dir), "m.csv")}
	for k := range pairsKilled {
		b := fmt.Sprintf("B/%d", k)
		if k%10 == 3 {
			b = "bad"
		}
		m.Pairs = append(m.Pairs, Pair{fmt.Sprint("rank", k), fmt.Sprintf("A/%d", k), b})
	}
	return m
}

// TestTwiceAtOnce lets processes make the same parts at the same time: a task that was queued again
// while its first instance still runs, and arrays of different sizes. Each of them succeeds, what
// they leave is the batch of one run, to the byte, and at no time is a part there that is not whole.
func TestTwiceAtOnce(t *testing.T) {
	if dir := os.Getenv(victim); dir != "" {
		beKilled(t, dir)
		return
	}
	root := t.TempDir()
	whole := filepath.Join(root, "whole")
	ran(t, toKill(whole), whole, Options{Workers: 2, Shard: Whole})
	for round := range testtrace.Sized(1, 5) {
		at := filepath.Join(root, fmt.Sprint("twice", round))
		var all []*exec.Cmd
		for _, shard := range testtrace.Sized([]string{"1/1", "1/1", "2/3"}, []string{"1/1", "1/1", "1/2", "2/3"}) {
			c := process(t, "TestTwiceAtOnce", at, shard)
			var out strings.Builder
			c.Stdout, c.Stderr = &out, &out
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Process.Kill() })
			all = append(all, c)
		}
		var done atomic.Bool
		watched := make(chan int)
		go func() { watched <- watch(t, at, &done) }()
		for k, c := range all {
			if err := c.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", k, err, c.Stdout)
			}
		}
		done.Store(true)
		if seen := <-watched; seen == 0 {
			t.Error("no part was seen while they ran")
		}
		alike(t, tree(t, whole), at, "made twice at once")
	}
}

// watch reads parts while processes make them, each as often as another one takes its place, and
// returns how many it has read. Read over and over they would take a processor from those processes.
func watch(t *testing.T, dir string, done *atomic.Bool) (seen int) {
	read := map[int]fs.FileInfo{}
	for ; !done.Load(); time.Sleep(time.Millisecond) {
		d, err := OpenDirectory(dir)
		if err != nil {
			continue
		}
		for part := range d.Parts() {
			switch is, err := os.Stat(d.Part(part)); {
			case errors.Is(err, fs.ErrNotExist):
				continue
			case err != nil:
				t.Error(err)
				continue
			case read[part] != nil && os.SameFile(is, read[part]) && is.ModTime().Equal(read[part].ModTime()):
				continue
			default:
				read[part] = is
			}
			if _, err := d.readPairs(part); err != nil {
				t.Errorf("part %d is not whole: %v", part, err)
			}
			seen++
		}
	}
	return seen
}

// process returns a process that runs the test as the one that runs the batch.
func process(t *testing.T, test, dir, shard string) *exec.Cmd {
	t.Helper()
	c := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	c.Env = append(os.Environ(), victim+"="+dir, victimShard+"="+shard)
	return c
}

// beKilled runs the batch, and says when it begins.
func beKilled(t *testing.T, dir string) {
	load := made(t)
	var first sync.Once
	o := Options{Workers: 2, Shard: Whole, Resume: true}
	if text := os.Getenv(victimShard); text != "" {
		var err error
		if o.Shard, err = ParseShard(text); err != nil {
			t.Fatal(err)
		}
	}
	o.Load = func(ctx context.Context, path string) (*trace.Trace, error) {
		first.Do(func() { fmt.Println("begun") })
		time.Sleep(loadingKilled)
		return load(ctx, path)
	}
	if _, err := Run(t.Context(), toKill(dir), dir, o); err != nil {
		t.Fatal(err)
	}
}

// kill lets a process run the batch, and kills it so long after it began; false if it was done.
func kill(t *testing.T, dir string, after time.Duration) bool {
	t.Helper()
	c := process(t, "TestKilledAndResumed", dir, "")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if lines.Scan() && lines.Text() == "begun" {
		time.Sleep(after)
	}
	_ = c.Process.Kill() // it may have ended
	for lines.Scan() {
		if lines.Text() == "FAIL" {
			t.Error("the process failed")
		}
	}
	return c.Wait() != nil
}
