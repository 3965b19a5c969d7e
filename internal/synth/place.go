package synth

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// places are the outputs under way: each is written beside its final name under a temporary one,
// and all are renamed together when all are whole.
type places struct{ list []place }

type place struct{ temporary, final string }

// openSide makes the output of a side.
func (p *places) openSide(s *side, f Format, path string) error {
	var err error
	if f.of(path) == Chrome {
		s.out, err = newChromeSink(p, path, s)
	} else {
		s.out, err = newUftraceSink(p, path, s)
	}
	return err
}

// file creates the temporary file for path.
func (p *places) file(path string) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	p.list = append(p.list, place{f.Name(), path})
	if err := f.Chmod(0o644); err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return f, nil
}

// directory creates the temporary directory for path, which may exist if it is empty or was such an
// output before.
func (p *places) directory(path string) (string, error) {
	path = filepath.Clean(path)
	if !replaceable(path) {
		return "", fmt.Errorf("%s exists and is not a uftrace directory", path)
	}
	dir, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*.partial")
	if err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	p.list = append(p.list, place{dir, path})
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", fmt.Errorf("writing %s: %w", path, err)
	}
	return dir, nil
}

func replaceable(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	head, err := os.ReadFile(filepath.Join(path, "info"))
	return len(entries) == 0 || err == nil && bytes.HasPrefix(head, []byte(uftraceMagic))
}

// publish gives every output its name. A directory in the way is set aside first and removed after.
func (p *places) publish(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for len(p.list) > 0 {
		l := p.list[0]
		old := l.temporary + ".old"
		info, err := os.Lstat(l.final)
		aside := err == nil && info.IsDir()
		if aside {
			if err := os.Rename(l.final, old); err != nil {
				return fmt.Errorf("replacing %s: %w", l.final, err)
			}
		}
		if err := os.Rename(l.temporary, l.final); err != nil {
			if aside {
				err = errors.Join(err, os.Rename(old, l.final))
			}
			return fmt.Errorf("writing %s: %w", l.final, err)
		}
		p.list = p.list[1:]
		if aside {
			if err := os.RemoveAll(old); err != nil {
				return fmt.Errorf("replacing %s: %w", l.final, err)
			}
		}
	}
	return nil
}

// discard removes what was not published.
func (p *places) discard() {
	for _, l := range p.list {
		os.RemoveAll(l.temporary)
	}
}
