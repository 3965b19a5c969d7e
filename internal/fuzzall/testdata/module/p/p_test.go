package p

import (
	"os"
	"testing"
)

func FuzzF(f *testing.F) {
	if _, err := os.Stat("../go.mod"); err != nil {
		f.Fatal(err)
	}
	f.Add("code")
	f.Add("else")
	f.Fuzz(func(t *testing.T, s string) {
		if F(s); s == "broken" {
			t.Error("a failure")
		}
	})
}
