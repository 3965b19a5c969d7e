package session

import (
	"context"
	"io"
	"path/filepath"

	"diptych/internal/escape"
	"diptych/internal/output"
)

// SaveFile writes a file in the background, whole or not at all, and says when it is there. Write
// runs in another goroutine: it must not touch what the session or the interface may change
// meanwhile.
func (s *Session) SaveFile(path string, write func(w io.Writer) error) {
	j := s.start("file "+path, "Writing "+filepath.Base(path), func(ctx context.Context, _ *Job) func() {
		err := whole(ctx, path, write)
		return func() {
			if err != nil {
				s.Say("Not saved: " + escape.Line(err.Error()))
				return
			}
			s.Say("Saved to " + escape.Line(path))
		}
	})
	j.apart = true // it has all that it writes
}

// HandOver gives a picture to another program in the background, and says what came of it. Give
// runs in another goroutine, as SaveFile's write does.
func (s *Session) HandOver(give func(ctx context.Context) error) {
	j := s.start("hand over", "Copying the picture", func(ctx context.Context, _ *Job) func() {
		err := give(ctx)
		return func() {
			if err != nil {
				s.Say("Not copied: " + escape.Line(err.Error()))
				return
			}
			s.Say("The picture is copied")
		}
	})
	j.apart = true // it has the picture
}

// whole writes a file whole or, if that fails or is cancelled, not at all.
func whole(ctx context.Context, path string, write func(io.Writer) error) error {
	f, err := output.Create(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	if err := write(f); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.Commit()
}
