package testtrace

import (
	"flag"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"
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

// CheckUntil checks a property, as rapid.Check does, until the random cases have come to what the
// test is about. Few of them may, so it goes on with others: up to mostRounds times as many.
func CheckUntil(t *testing.T, seen func() bool, property func(t *rapid.T)) {
	t.Helper()
	for range mostRounds {
		if rapid.Check(t, property); seen() {
			return
		}
	}
	t.Error("no case was of the kind that the test is about")
}

const mostRounds = 100

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
