//go:build !linux

package spill

import "os"

// Nameless returns a temporary file whose name is removed at once.
func Nameless(dir string) (*os.File, error) { return unnamed(dir) }
