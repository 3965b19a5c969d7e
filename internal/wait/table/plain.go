package table

import (
	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// rowKey says what a plain row is of: waiter, releaser and object, as wait.Row has them.
type rowKey [3]int32

func keyOf(r *wait.Row) rowKey { return rowKey{r.Waiter, r.Releaser, r.Object} }

// plain is what the outermost waits of each plain row come to. It takes 4 bytes a wait, and about
// 60 a row.
type plain struct {
	at    map[rowKey]int32 // index into sums
	sums  []rowSum
	waits [2][]int32 // outermost ones of a side, by the index of their row, then as in wait.Waits
	first [2][]int32 // by row, and one more: those of row k are waits[first[k]:first[k+1]]

	squares []float64 // by waiter: of all its rows, see Row.Squares
	ofRole  [][]int32 // by row of roles, the rows of plainRows that it adds up
}

// newPlain returns what there is of no waits; lines is the number of pairs of threads.
func newPlain(lines int) *plain {
	return &plain{at: map[rowKey]int32{}, squares: make([]float64, lines)}
}

// rowSum is what the waits of a plain row come to.
type rowSum struct {
	longest [2]int // by side; −1 for none
	squares float64
}

// of returns what the waits of a plain row come to.
func (p *plain) of(r *wait.Row) *rowSum { return &p.sums[p.at[keyOf(r)]] }

// waitsOf returns the waits of a plain row on a side.
func (p *plain) waitsOf(side int, r *wait.Row) []int32 {
	k, first := p.at[keyOf(r)], p.first[side]
	if int(k)+1 >= len(first) { // the other side alone has such waits, or this one is not known
		return nil
	}
	return p.waits[side][first[k]:first[k+1]]
}

// numberOf returns the number of a row, which is a new one if there is none yet.
func (p *plain) numberOf(k rowKey) int32 {
	at, ok := p.at[k]
	if !ok {
		at = int32(len(p.sums))
		p.at[k], p.sums = at, append(p.sums, rowSum{longest: [2]int{-1, -1}})
	}
	return at
}

// gather sorts the outermost waits of a side by waiter, releaser and object, and finds the longest
// of each such row.
func (t *Table) gather(side pair.Side, a *wait.Analysis) {
	key, ws, p := t.keys(side, a), &a.Waits, t.plain
	rows, n := make([]int32, ws.Len()), 0
	for w := range rows {
		rows[w] = -1
		if !ws.Outermost(w) {
			continue
		}
		k := key(w)
		rows[w] = p.numberOf(k)
		n++
		sum, square := &p.sums[rows[w]], float64(ws.Dur(w))*float64(ws.Dur(w))
		if have := sum.longest[side]; have < 0 || ws.Dur(w) > ws.Dur(have) {
			sum.longest[side] = w
		}
		sum.squares += square
		p.squares[k[0]] += square
	}
	p.waits[side], p.first[side] = byRow(rows, n, len(p.sums))
}

// keys returns a function that says in which row a wait of a side is.
func (t *Table) keys(side pair.Side, a *wait.Analysis) func(w int) rowKey {
	object := make([]int32, len(a.Objects))
	for k, o := range t.objects {
		if i := [2]int32{o.A, o.B}[side]; i >= 0 {
			object[i] = int32(k)
		}
	}
	return func(w int) rowKey {
		k := rowKey{int32(t.lineOf(side, w)), -1, -1}
		if by := a.Waits.By[w].Thread; by >= 0 {
			k[1] = int32(t.Pair.Of(side, int(by)))
		}
		if o := a.Object(w); o != trace.NoObject {
			k[2] = object[o]
		}
		return k
	}
}

// byRow sorts those n waits that have a row by it. It returns them, and by row where its waits
// begin.
func byRow(rows []int32, n, count int) (waits, first []int32) {
	waits, first = make([]int32, n), make([]int32, count+1)
	for _, r := range rows {
		if r >= 0 {
			first[r+1]++
		}
	}
	for r := range count {
		first[r+1] += first[r]
	}
	for w, r := range rows {
		if r >= 0 {
			waits[first[r]] = int32(w)
			first[r]++
		}
	}
	copy(first[1:], first[:count]) // each was moved to where the next one begins
	first[0] = 0
	return waits, first
}
