package paje

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"diptych/internal/testtrace"
)

// script is a random trace: lines, and the rows that follow from them by the definition of the
// format, worked out with a plain stack for each container.
type script struct {
	lines []string
	rows  []string
}

func (s *script) text() string { return types + strings.Join(s.lines, "") }

// generated makes n random lines on two containers, at times that never fall.
func generated(seed uint64, n int) *script {
	type open struct {
		name string
		from int
	}
	r := rand.New(rand.NewPCG(seed, 7))
	s := &script{}
	stacks := [2][]open{}
	at := 0 // in ms
	end := func(c int, k int) {
		for i := len(stacks[c]) - 1; i >= k; i-- {
			o := stacks[c][i]
			s.rows = append(s.rows, fmt.Sprintf("state rank %d %d-%d %d %s", c, o.from*1000,
				at*1000, i, o.name))
		}
		stacks[c] = stacks[c][:k]
	}
	begin := func(c int, name string) { stacks[c] = append(stacks[c], open{name, at}) }
	say := func(format string, args ...any) { s.lines = append(s.lines, fmt.Sprintf(format+"\n", args...)) }
	for range n {
		at += r.IntN(3)
		when := fmt.Sprintf("%d.%03d", at/1000, at%1000)
		c, name := r.IntN(2), fmt.Sprintf("f%d", r.IntN(4))
		switch k := r.IntN(10); {
		case k < 4:
			say("31 %s S p%d %s %d", when, c+1, name, k)
			begin(c, name)
		case k < 7 && len(stacks[c]) > 0:
			say("32 %s S p%d", when, c+1)
			end(c, len(stacks[c])-1)
		case k == 7:
			say("30 %s p%d S %s", name, c+1, when)
			end(c, 0)
			begin(c, name)
		case k == 8 && r.IntN(4) == 0:
			say("33 %s S p%d", when, c+1)
			end(c, 0)
		case k == 9:
			say("60 %s E p%d mark-%s", when, c+1, name)
			s.rows = append(s.rows, fmt.Sprintf("event rank %d %d mark-%s", c, at*1000, name))
		}
	}
	at++
	for c := range stacks {
		say("21 %d.%03d P p%d", at/1000, at%1000, c+1)
		end(c, 0)
	}
	return s
}

// TestProperty loads random traces, and holds them against the plain reader.
func TestProperty(t *testing.T) {
	for seed := range testtrace.Sized(uint64(100), 20_000) {
		s := generated(seed, int(seed%100)*3)
		got := rows(mustLoad(t, s.text()))
		slices.Sort(got)
		slices.Sort(s.rows)
		if !slices.Equal(got, s.rows) {
			t.Fatalf("seed %d:\n%s\ngot  %q\nwant %q", seed, strings.Join(s.lines, ""), got, s.rows)
		}
	}
}

// TestMutations loads traces of which bytes are changed, cut and moved: each ends in a sound trace or
// in an error.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	whole := []byte(generated(1, 100).text() + "50 2 L 0 x p1 k\n51 3 L 0 x p2 k\n40 1 V p1 10\n41 1 V p1 1\n")
	for range testtrace.Sized(500, 100_000) {
		data := slices.Clone(whole)
		for range 1 + r.IntN(4) {
			i, j := r.IntN(len(data)), r.IntN(len(data))
			switch r.IntN(4) {
			case 0:
				data[i] ^= 1 << r.IntN(8)
			case 1:
				data[i] = "0123456789 \"%#\n-."[r.IntN(17)]
			case 2:
				copy(data[i:], data[j:min(j+r.IntN(40), len(data))])
			case 3:
				if r.IntN(8) == 0 {
					data = data[:max(i, 1)]
				}
			}
		}
		sound(t, string(data))
	}
}
