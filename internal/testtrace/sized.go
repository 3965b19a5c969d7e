package testtrace

import (
	"flag"
	"os"
	"strconv"
)

// Sized returns how large a test is made: long if the environment variable DIPTYCH_LONG is set, as
// "make test-long" does, otherwise usual.
func Sized[T any](usual, long T) T {
	if os.Getenv("DIPTYCH_LONG") != "" {
		return long
	}
	return usual
}

// Checks has rapid check at most n cases in this test, unless rapid's flag says how many or the
// test is to be long. It is for tests whose cases take long.
func Checks(t cleaning, n int) {
	t.Helper()
	if usual, err := strconv.Atoi(flag.Lookup("rapid.checks").DefValue); err == nil && usual < n {
		return
	}
	setChecks(t, n)
}

// Cases has rapid check n cases, as Checks does, also where RAPID_CHECKS wants fewer. It is for
// tests that count what their cases have come to.
func Cases(t cleaning, n int) {
	t.Helper()
	setChecks(t, n)
}

type cleaning interface {
	TB
	Cleanup(func())
}

func setChecks(t cleaning, n int) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	was := checks.Value.String()
	if was != checks.DefValue || Sized(false, true) {
		return
	}
	set := func(to string) {
		if err := checks.Value.Set(to); err != nil {
			t.Fatal(err)
		}
	}
	set(strconv.Itoa(n))
	t.Cleanup(func() { set(was) })
}
