//go:build !unix

package input

import (
	"errors"
	"io"
)

func openRegular(string, int64) (io.ReadCloser, error) { return nil, errors.ErrUnsupported }
