//go:build !unix

package input

import (
	"errors"
	"io"
)

func openRegular(string) (io.ReadCloser, error) { return nil, errors.ErrUnsupported }
