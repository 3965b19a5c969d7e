package tracefile

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unsafe"
	"weak"

	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Files are checked when they are opened. What happens to them afterwards cannot be prevented: a
// file that somebody cuts, or whose disk fails, makes a fault of the next look at a column, and one
// that is written over makes columns that lead astray, which mostly ends in a panic, too. So
// whoever recovers a panic asks Blame whether that is the reason. Nothing is done before a panic:
// looking at traces must cost nothing more.

// Damage is a file of the cache that was damaged. It was removed.
type Damage struct {
	File      string
	Recording string // that the trace in it was read from
	Why       string
	InUse     bool // it was found to be damaged after it had been opened
}

// String says what has happened, in what may be part of a sentence.
func (d Damage) String() string {
	when := "is damaged"
	if d.InUse {
		when = "was damaged while it was in use"
	}
	return fmt.Sprintf("the stored trace %s %s (%s), so %s is read again", d.File, when, d.Why, d.Recording)
}

// Sentence is String for where it stands by itself.
func (d Damage) Sentence() string { return "T" + d.String()[1:] }

// reason returns an error without the word that Damage.String says anyway.
func reason(err error) string {
	return strings.TrimPrefix(err.Error(), errDamaged.Error()+": ")
}

// mapping is a file that a trace lies in. It is known as long as the process lives, as the memory
// is mapped.
type mapping struct {
	file      string
	opened    os.FileInfo
	recording string
	body      []byte
	trace     weak.Pointer[trace.Trace]
	damaged   bool
}

func (c *Cache) noteMapping(f *os.File, tr *trace.Trace, body []byte, recording string) {
	st, err := f.Stat()
	if err != nil {
		return // a fault on it cannot be explained
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.mapped = append(c.mapped, &mapping{file: f.Name(), opened: st, recording: input.Name(recording), body: body,
		trace: weak.Make(tr)})
}

func (c *Cache) tell(d Damage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.news = append(c.news, d)
}

// News returns which files were found damaged since it was last called.
func (c *Cache) News() []Damage {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	news := c.news
	c.news = nil
	return news
}

// Blame says whether files that were damaged while they were in use are to blame for a panic, whose
// value it is given: those that a fault's address lies in, and all that no longer hold what was
// checked, which takes as long as opening them. It returns the traces in them as far as somebody
// still has them, and the files that it did not know to be damaged, which it removes. Nobody may
// look at the traces any more.
func (c *Cache) Blame(panicked any) (lost []*trace.Trace, found []Damage) {
	if c == nil {
		return nil, nil
	}
	if p, ok := panicked.(*progress.Panic); ok {
		panicked = p.Value
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	fault, isFault := panicked.(interface{ Addr() uintptr })
	var blamed []*mapping
	for _, m := range c.mapped {
		tr, inside := m.trace.Value(), isFault && m.holds(fault.Addr())
		if tr == nil && !inside {
			continue // nobody can look at it
		}
		err := m.check()
		if err == nil && inside {
			err = errCut // it can be read again
		}
		if err == nil {
			continue
		}
		if !m.damaged {
			m.damaged = true
			found = append(found, Damage{File: m.file, Recording: m.recording, Why: reason(err), InUse: true})
		}
		blamed = append(blamed, m)
		if tr != nil {
			lost = append(lost, tr)
		}
	}
	for _, m := range blamed { // once all are checked: two sides may show the same file
		if m.isCurrent() {
			_ = os.Remove(m.file)
		}
	}
	found = slices.Compact(found)
	c.news = append(c.news, found...)
	return lost, found
}

var errCut = errors.New("it was cut, or its disk cannot be read")

// holds reports whether an address lies in the mapping.
func (m *mapping) holds(at uintptr) bool {
	from := uintptr(unsafe.Pointer(unsafe.SliceData(m.body)))
	return at >= from && at < from+uintptr(len(m.body))
}

// check returns in how far a file is not what was opened.
func (m *mapping) check() (err error) {
	if m.damaged {
		return errDamaged
	}
	if m.isCurrent() {
		if st, err := os.Stat(m.file); err == nil && st.Size() != int64(len(m.body)) {
			return damage("it has %d bytes instead of %d", st.Size(), len(m.body))
		}
	}
	if p := progress.Try(func() { _, err = verify(m.body) }); p != nil {
		return errCut
	}
	return err
}

// isCurrent reports whether the file that was opened is still the one with its name.
func (m *mapping) isCurrent() bool {
	st, err := os.Stat(m.file)
	return err == nil && os.SameFile(st, m.opened)
}
