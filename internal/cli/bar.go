package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// read loads a trace and shows the progress.
func read(cmd *cobra.Command, path string, o input.Options) (*trace.Trace, error) {
	b := newBar(cmd.ErrOrStderr(), input.Name(path))
	b.bytes = true
	defer b.done()
	o.Progress = b.report
	o.Waiting = func(path string) {
		escape.Printf(cmd.ErrOrStderr(), "diptych: waiting for a program that writes to the pipe %s\n", path)
	}
	tr, err := traceCache(cmd).Load(cmd.Context(), path, o)
	if err == nil {
		limitGarbage(tr)
	}
	return tr, err
}

// readAlone loads the trace of a command that looks at one. If a sample type was asked for, its
// format must have them; of two traces the other's may.
func readAlone(cmd *cobra.Command, path string, o input.Options) (*trace.Trace, error) {
	tr, err := read(cmd, path, o)
	if err == nil {
		if err = traceio.CheckSampleType(o.SampleType, tr); err != nil {
			err = fmt.Errorf("%s: %w", input.Name(path), err)
		}
	}
	return tr, err
}

// bar shows progress on a terminal, and nothing where standard error is not one.
type bar struct {
	mu    sync.Mutex
	p     *progressbar.ProgressBar
	name  string
	bytes bool   // it counts bytes that are read
	built bool   // all are read, and a trace is built of them
	unit  string // of what it counts, if the rate is shown
	total int64  // as last reported; it may grow as work is found
	out   io.Writer
}

func newBar(w io.Writer, path string) *bar {
	b := &bar{name: escape.Line(filepath.Base(path)), out: w}
	if !isTerminal(w) {
		b.out = nil
	}
	return b
}

func (b *bar) report(done, total int64) {
	if b.out == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if total <= 0 {
		total = -1 // nobody knows: the bar moves to and fro
	}
	if built := b.bytes && total > 0 && done >= total; built != b.built {
		b.built = built
		b.clear()
	}
	if b.built {
		total = -1 // a third of the time is still to come, in which nothing is read
	}
	if b.p == nil {
		b.p, b.total = b.draw(total), total
	}
	if total != b.total {
		b.p.ChangeMax64(total)
		b.total = total
	}
	// A bar that cannot be drawn must not stop the work.
	_ = b.p.Set64(done)
}

// draw returns a new bar on the terminal.
func (b *bar) draw(total int64) *progressbar.ProgressBar {
	name := b.name
	if b.built {
		name += ": read, now being built"
	}
	how := []progressbar.Option{progressbar.OptionSetWriter(b.out),
		progressbar.OptionSetDescription(name), progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(), progressbar.OptionShowBytes(b.bytes && !b.built)}
	if b.unit != "" {
		how = append(how, progressbar.OptionShowCount(), progressbar.OptionShowIts(),
			progressbar.OptionSetItsString(b.unit))
	}
	return progressbar.NewOptions64(total, how...)
}

func (b *bar) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.clear()
}

// clear takes the bar off the terminal.
func (b *bar) clear() {
	if b.p != nil {
		if err := b.p.Finish(); err != nil {
			fmt.Fprintln(b.out)
		}
		b.p = nil
	}
}
