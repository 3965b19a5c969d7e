package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// reached says of blocks of code how often they ran. A block is what a coverage profile calls it:
// "file:line.column,line.column statements". Only a count's length in bits matters, so that a loop
// that runs three times is another find than one that runs a hundred times, as it is to Go's
// fuzzer: bit n stands for 2ⁿ⁻¹ to 2ⁿ-1 times.
type reached map[string]uint64

// add joins other to r and returns how many blocks and how many counts of blocks are new.
func (r reached) add(other reached) (blocks, counts int) {
	for block, often := range other {
		had := r[block]
		if had == 0 {
			blocks++
		}
		counts += bits.OnesCount64(often &^ had)
		r[block] = had | often
	}
	return blocks, counts
}

// with returns what is reached by the inputs too.
func (r reached) with(inputs []input) reached {
	all := maps.Clone(r)
	for _, in := range inputs {
		all.add(in.reached)
	}
	return all
}

// parseProfile returns what a coverage profile says. Its mode must be atomic.
func parseProfile(text string) (reached, error) {
	r := reached{}
	body, ok := strings.CutPrefix(text, "mode: atomic\n")
	if !ok {
		return nil, fmt.Errorf("%.20q begins no profile of counts", text)
	}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		at := strings.LastIndexByte(line, ' ')
		n, err := strconv.ParseUint(line[at+1:], 10, 63)
		if at < 0 || err != nil {
			return nil, fmt.Errorf("%q is no line of a profile", line)
		}
		if n > 0 {
			r[strings.Clone(line[:at])] |= 1 << bits.Len64(n)
		}
	}
	return r, nil
}

// measure sets what each of the inputs reaches, and returns what the target's seeds reach. Each
// runs in a process of its own, since the counts of a process only add up. That takes 10 ms, and
// more if the target has work to do before its first input.
func (p *programs) measure(ctx context.Context, t target, inputs []input) (reached, error) {
	program, err := p.buildCounting(ctx, t)
	if err != nil {
		return nil, err
	}
	seeds, err := p.reachSeeds(ctx, program, t)
	if err != nil {
		return nil, err
	}
	root, err := os.MkdirTemp(p.files, "tree-")
	if err != nil {
		return nil, err
	}
	apart := target{root: root, dir: filepath.Join(root, t.below(t.dir)), name: t.name}
	if err := mirror(root, t.root, strings.Split(t.below(t.failures()), string(filepath.Separator))); err != nil {
		return nil, err
	}
	for i := range inputs {
		if err := p.measureOne(ctx, program, apart, &inputs[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", inputs[i].path, err)
		}
	}
	return seeds, nil
}

// measureOne sets what an input reaches, of a target whose folder of inputs is empty.
func (p *programs) measureOne(ctx context.Context, program string, apart target, in *input) (err error) {
	link := filepath.Join(apart.failures(), in.name())
	if err := os.Symlink(in.path, link); err != nil {
		return err
	}
	in.reached, err = p.reach(ctx, program, apart, in.name())
	return errors.Join(err, os.Remove(link))
}

// below returns a path from the module's root on.
func (t target) below(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, t.root), string(filepath.Separator))
}

// mirror fills the empty directory to with links to all that lies in the directory from, but for
// the way into it: these directories are made, and the last one stays empty. So a target finds its
// other files as usual, and as inputs those that are put there.
func mirror(to, from string, way []string) error {
	if len(way) == 0 {
		return nil
	}
	entries, err := os.ReadDir(from)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if e.Name() != way[0] {
			if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
				return err
			}
		}
	}
	to, from = filepath.Join(to, way[0]), filepath.Join(from, way[0])
	if err := os.Mkdir(to, 0o777); err != nil {
		return err
	}
	return mirror(to, from, way[1:])
}

// buildCounting builds a program that counts how often the blocks of the target's package run and
// those of the module's packages that it imports. Loaders run in several goroutines at once, so
// only atomic counts are exact.
func (p *programs) buildCounting(ctx context.Context, t target) (string, error) {
	const format = `{{with .Module}}{{if .Main}}{{$.ImportPath}}{{end}}{{end}}`
	out, err := exec.CommandContext(ctx, "go", "list", "-deps", "-f", format, t.pkg).Output()
	if err != nil {
		return "", fmt.Errorf("listing what %s imports: %w", t.pkg, err)
	}
	return p.build(ctx, t, "-cover", "-covermode=atomic",
		"-coverpkg="+strings.Join(strings.Fields(string(out)), ","))
}

// seedName is what a test says of a seed when it begins with it.
var seedName = regexp.MustCompile(`(?m)^=== RUN   Fuzz\w+/(.+)$`)

// reachSeeds returns what a target's seeds reach, those in testdata and those in its code.
func (p *programs) reachSeeds(ctx context.Context, program string, t target) (reached, error) {
	out, err := p.command(ctx, program, t.dir, "-test.v", "-test.timeout=1m",
		"-test.run=^"+t.name+"$").CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	all := reached{}
	for _, m := range seedName.FindAllStringSubmatch(string(out), -1) {
		r, err := p.reach(ctx, program, t, m[1])
		if err != nil {
			return nil, err
		}
		all.add(r)
	}
	return all, nil
}

// reach returns what a target reaches by one of its inputs.
func (p *programs) reach(ctx context.Context, program string, t target, name string) (reached, error) {
	profile := filepath.Join(p.files, "profile")
	cmd := p.command(ctx, program, t.dir, "-test.coverprofile="+profile, "-test.timeout=1m",
		"-test.run=^"+t.name+"$/^"+regexp.QuoteMeta(name)+"$")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	return parseProfile(string(text))
}
