package pair

import (
	"math"
	"slices"
)

// maxAssigned bounds the threads, or processes, a side that assign chooses among; beyond it
// pairMany goes by order. With as many as this of each name, the worst case, 10,000 threads that
// all differ take 5 to 7 times as long as with 16 of each name (BenchmarkThreads).
const maxAssigned = 256

// assign pairs rows with columns so that the worths of the pairs have the greatest sum, and returns
// the column by row, or none. A pair that is worth 0 is never made. If several assignments have the
// greatest sum, it takes one with the least sum of squared differences between the places of row
// and column, so that equals stay in order. Places are below maxAssigned.
//
// Cost: rows²·max(rows, columns), both at most maxAssigned.
func assign(rows, columns []int, worth func(row, column int) likeness) []int {
	const unit = maxAssigned * maxAssigned * maxAssigned // the squares of all pairs are less
	// With a column or more for each row, a row can stay alone at no gain.
	h := newHungarian(len(rows), max(len(rows), len(columns)))
	for i, gain := range h.gain {
		for j := range columns {
			if w := worth(i, j); w > 0 {
				off := rows[i] - columns[j]
				gain[j] = int64(w)*unit - int64(off*off)
			}
		}
	}
	for i := range rows {
		h.insert(i)
	}
	out := slices.Repeat([]int{none}, len(rows))
	for j, i := range h.row[:h.columns] {
		if i != none && h.gain[i][j] > 0 {
			out[i] = j
		}
	}
	return out
}

// hungarian finds the assignment of all rows to columns that gains most, by shortest augmenting
// paths (Jonker & Volgenant, A Shortest Augmenting Path Algorithm for Dense and Sparse Linear
// Assignment Problems, Computing 38, 1987, without its faster start). For all rows inserted,
// gain[i][j] ≤ rowPrice[i] + columnPrice[j], with equality where i has column j, which proves that
// nothing gains more.
type hungarian struct {
	gain        [][]int64
	columns     int // at least as many as rows
	rowPrice    []int64
	columnPrice []int64
	// row is by column, or none. One further column holds the row that is inserted.
	row []int
	// before is the column on the path that column j was reached from.
	before []int
}

func newHungarian(rows, columns int) *hungarian {
	h := &hungarian{make([][]int64, rows), columns, make([]int64, rows), make([]int64, columns+1),
		slices.Repeat([]int{none}, columns+1), make([]int, columns+1)}
	for i := range h.gain {
		h.gain[i] = make([]int64, columns)
	}
	return h
}

// insert gives row i a column. The rows on the shortest path to a free column each move on to the
// next.
func (h *hungarian) insert(i int) {
	h.row[h.columns] = i
	at := h.columns
	loss := slices.Repeat([]int64{math.MaxInt64}, h.columns) // of the best path to each column
	seen := make([]bool, h.columns+1)
	for h.row[at] != none {
		seen[at] = true
		at = h.extend(at, loss, seen)
	}
	for at != h.columns {
		h.row[at] = h.row[h.before[at]]
		at = h.before[at]
	}
}

// extend looks on from column at and returns the column that is now reached at the least loss. It
// changes the prices such that this loss is 0.
func (h *hungarian) extend(at int, loss []int64, seen []bool) int {
	row, least, next := h.row[at], int64(math.MaxInt64), none
	for j := range h.columns {
		if seen[j] {
			continue
		}
		if l := h.rowPrice[row] + h.columnPrice[j] - h.gain[row][j]; l < loss[j] {
			loss[j], h.before[j] = l, at
		}
		if loss[j] < least {
			least, next = loss[j], j
		}
	}
	for j := range seen {
		if seen[j] {
			h.rowPrice[h.row[j]] -= least
			h.columnPrice[j] += least
		} else if j < h.columns {
			loss[j] -= least
		}
	}
	return next
}
