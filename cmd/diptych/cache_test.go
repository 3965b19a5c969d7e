package main

import (
	"os"
	"testing"
)

// TestMain keeps the programs that tests run away from the user's results.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "diptych-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("DIPTYCH_CACHE", dir)
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}
