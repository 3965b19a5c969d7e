package cli

import (
	"io"

	"diptych/internal/output"
)

// stdout is standard output while a command prints to it. It keeps the first error: what prints a
// table line by line does not look at each.
type stdout struct {
	to      io.Writer
	columns int // of the terminal that it is, or 0
	err     error
}

func (s *stdout) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.to.Write(p)
	if err != nil {
		s.err = &output.Error{Path: "standard output", Reason: "cannot write", Err: output.Cause(err)}
	}
	return n, s.err
}

// outcome returns the error of a command that printed to s: a failure to print comes first, since
// encoders say more of it than a user wants to know.
func (s *stdout) outcome(err error) error {
	if s.err != nil {
		return s.err
	}
	return err
}
