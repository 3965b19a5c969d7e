package p

import (
	"os"
	"testing"

	"m/seeds"
)

func FuzzF(f *testing.F) {
	seeds.Add(f)
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
