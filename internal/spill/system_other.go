//go:build !linux

package spill

import (
	"errors"
	"os"
)

// Supported says that files can be mapped here.
const Supported = false

func extend(*os.File, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func forget([]byte) error { return errors.ErrUnsupported }

func room(string) int64 { return 0 }
