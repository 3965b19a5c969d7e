//go:build !linux

package huge

// advise has nobody to ask: elsewhere programs have the pages that the system chooses.
func advise(uintptr, uintptr) {}
