package pair

import (
	"testing"

	"pgregory.net/rapid"
)

// sum is what an assignment is worth, and the sum of squared differences of places over its pairs.
type sum struct{ worth, squares int }

func (s sum) better(than sum) bool {
	return s.worth > than.worth || s.worth == than.worth && s.squares < than.squares
}

func (s sum) plus(w likeness, x, y int) sum {
	return sum{s.worth + int(w), s.squares + (x-y)*(x-y)}
}

// bestSum tries all assignments of the rows from the given one on to the columns that are free.
// Places are by side.
func bestSum(worth [][]likeness, places [2][]int, row int, taken []bool) sum {
	if row == len(worth) {
		return sum{}
	}
	best := bestSum(worth, places, row+1, taken) // the row stays alone
	for j, w := range worth[row] {
		if w == 0 || taken[j] {
			continue
		}
		taken[j] = true
		if s := bestSum(worth, places, row+1, taken).plus(w, places[0][row], places[1][j]); s.better(best) {
			best = s
		}
		taken[j] = false
	}
	return best
}

func TestAssignMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := rapid.IntRange(0, 5).Draw(t, "columns")
		// Few different worths make for many ties.
		some := rapid.SampledFrom([]likeness{0, 0, 1, 2, 3, 500, 999, 1000, 1100})
		worth := rapid.SliceOfN(rapid.SliceOfN(some, columns, columns), 0, 5).Draw(t, "worth")
		place := func(n int) []int { return rapid.SliceOfN(rapid.IntRange(0, 9), n, n).Draw(t, "places") }
		places := [2][]int{place(len(worth)), place(columns)}
		got, taken := sum{}, make([]bool, columns)
		for i, j := range assign(places[0], places[1], func(i, j int) likeness { return worth[i][j] }) {
			if j == none {
				continue
			}
			if taken[j] || worth[i][j] == 0 {
				t.Fatalf("row %d has column %d", i, j)
			}
			taken[j] = true
			got = got.plus(worth[i][j], places[0][i], places[1][j])
		}
		if want := bestSum(worth, places, 0, make([]bool, columns)); got != want {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

// TestAssignAtTheCap holds that order does not weigh against worth, however many there are.
func TestAssignAtTheCap(t *testing.T) {
	const n = maxAssigned
	backward := func(i, j int) likeness {
		if i+j == n-1 {
			return 2
		}
		return 1
	}
	for i, j := range assign(upTo[int](n), upTo[int](n), backward) {
		if j != n-1-i {
			t.Fatalf("row %d has column %d", i, j)
		}
	}
	for i, j := range assign(upTo[int](n), upTo[int](n), func(int, int) likeness { return 1000 }) {
		if i != j {
			t.Fatalf("of equals, row %d has column %d", i, j)
		}
	}
}
