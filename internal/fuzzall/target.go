package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
)

// target is one fuzz function, in a package of the module whose root is given.
type target struct{ root, pkg, dir, name string }

func (t target) String() string { return filepath.Base(t.pkg) + "." + t.name }

// list returns the fuzz targets of packages. It looks into the files of tests, because asking the
// tests themselves means to build all of them.
func list(ctx context.Context, patterns []string) ([]target, error) {
	const format = `{{.Module.Dir}}|{{.ImportPath}}|{{.Dir}}|{{join .TestGoFiles " "}} {{join .XTestGoFiles " "}}`
	out, err := exec.CommandContext(ctx, "go", append([]string{"list", "-f", format}, patterns...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("listing packages: %w", err)
	}
	var targets []target
	for line := range strings.Lines(string(out)) {
		part := strings.SplitN(strings.TrimSpace(line), "|", 4)
		for _, file := range strings.Fields(part[3]) {
			text, err := os.ReadFile(filepath.Join(part[2], file))
			if err != nil {
				return nil, err
			}
			for _, name := range fuzzFunctions(string(text)) {
				targets = append(targets, target{part[0], part[1], part[2], name})
			}
		}
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("no fuzz targets in %s", strings.Join(patterns, " "))
	}
	return targets, nil
}

var fuzzFunction = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// fuzzFunctions returns the names of the fuzz functions in a file.
func fuzzFunctions(text string) (names []string) {
	for _, m := range fuzzFunction.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// programs are the tests of packages, built to be fuzzed or to measure what their inputs reach.
// They are built before they run, so that the time of a run is that of fuzzing alone.
type programs struct {
	dir   string
	files string   // where the tests make their temporary files
	cache string   // where Go keeps the inputs that reached something new
	flags []string // of go test, for all builds
	built map[string]string
}

// memory is a file system that is kept in memory on Linux. A target that writes a file for each
// input runs three times as often there as on a disk.
const memory = "/dev/shm"

func newPrograms() (*programs, error) {
	dir, err := os.MkdirTemp("", "fuzzall-")
	if err != nil {
		return nil, err
	}
	p := &programs{dir: dir, built: map[string]string{}}
	if p.files, err = os.MkdirTemp(memory, "fuzzall-"); err != nil {
		p.files = dir // there is no such file system
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	p.cache = filepath.Join(strings.TrimSpace(string(cache)), "fuzz")
	return p, err
}

func (p *programs) remove() {
	os.RemoveAll(p.dir)
	os.RemoveAll(p.files)
}

// build returns the program of a target's package, built with the given flags of go test.
func (p *programs) build(ctx context.Context, t target, flags ...string) (string, error) {
	if path := p.built[t.pkg]; path != "" {
		return path, nil
	}
	path := filepath.Join(p.dir, fmt.Sprintf("%d.test", len(p.built)))
	args := slices.Concat([]string{"test", "-c", "-o", path}, p.flags, flags, []string{t.pkg})
	out, err := exec.CommandContext(ctx, "go", args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	p.built[t.pkg] = path
	return path, nil
}

// command returns a run of a program in the directory that its tests take for their package's own.
func (p *programs) command(ctx context.Context, program, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+p.files)
	return cmd
}

// fuzz fuzzes one target. On failure it prints what the test said, which names the input.
//
// The test is interrupted when its time is over, and says then what it found. With -test.fuzztime
// it now and then fails at that moment for nothing but "context deadline exceeded" (Go issue 75804,
// mended in Go 1.27).
//
// Shortening an input is limited by a number of inputs. If it is limited by a time, go test kills
// its worker at the end of that time and loses the count of what the worker tried: with 2 s, a
// target that tries 600 inputs a second seemed to try 3.
func (p *programs) fuzz(ctx context.Context, t target, o options) (stats, error) {
	program, err := p.build(ctx, t, "-fuzz", "^"+t.name+"$")
	if err != nil {
		return stats{}, err
	}
	workers := runtime.GOMAXPROCS(0)
	cmd := p.command(ctx, program, t.dir, "-test.run=^$", "-test.fuzz=^"+t.name+"$",
		fmt.Sprintf("-test.parallel=%d", workers),
		fmt.Sprintf("-test.fuzzminimizetime=%dx", o.minimize),
		"-test.fuzzcachedir="+filepath.Join(p.cache, t.pkg))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	interrupt := func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Cancel = interrupt
	if err := cmd.Start(); err != nil {
		return stats{}, err
	}
	defer time.AfterFunc(o.each, func() { interrupt() }).Stop()
	err = cmd.Wait()
	if err != nil {
		fmt.Print(out.String())
	}
	s := parseStats(out.String())
	s.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	s.workers = workers
	return s, err
}
