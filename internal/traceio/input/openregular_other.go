//go:build !unix

package input

import (
	"errors"
	"io/fs"
)

func openUnpolled(string) (fs.File, error) { return nil, errors.ErrUnsupported }
