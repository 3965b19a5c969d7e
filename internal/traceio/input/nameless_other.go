//go:build !linux

package input

import "os"

// nameless returns a temporary file whose name is removed at once.
func nameless(dir string) (*os.File, error) { return unnamed(dir) }
