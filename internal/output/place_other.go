//go:build !linux

package output

import "os"

func temporary(dir, base string) (*os.File, string, error) { return temporaryNamed(dir, base) }

// linkNew and linkTemporary are for files without a name, which there are none of.
func linkNew(*os.File, string) (bool, error) { return false, nil }

func linkTemporary(*os.File, string) (string, error) { return "", os.ErrInvalid }

func exchange(a, b string) error { return exchangeByRename(a, b) }
