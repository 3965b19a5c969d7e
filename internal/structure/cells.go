package structure

import (
	"slices"

	"diptych/internal/trace"
)

// Cells says of each function of a trace what it is in one process: None if the process never
// calls it. Thousands of processes may have a few of ten thousand functions each, so a plain list
// for each would take gigabytes. These are lists of pages, and all pages without a function are
// one.
type Cells []*page

const (
	pageBits = 8
	pageLen  = 1 << pageBits
)

type page [pageLen]int32

var noCells = func() *page {
	p := new(page)
	for i := range p {
		p[i] = None
	}
	return p
}()

// newCells returns cells of so many functions, none of which is called.
func newCells(functions int) Cells {
	c := make(Cells, (functions+pageLen-1)/pageLen)
	for k := range c {
		c[k] = noCells
	}
	return c
}

// Of returns the node of a function, None if the process never calls it.
func (c Cells) Of(fn trace.FuncID) int32 { return c[fn>>pageBits][fn%pageLen] }

// Key tells the cells of processes apart, which the threads of a process share.
func (c Cells) Key() any { return &c[0] }

// set sets what is known of a function.
func (c Cells) set(fn trace.FuncID, to int32) {
	p := &c[fn>>pageBits]
	if *p == noCells {
		own := *noCells
		*p = &own
	}
	(*p)[fn%pageLen] = to
}

// flat copies the cells of all functions that the process calls into a plain list by function,
// which is faster to look up in. It uses the list to again; what that has of other functions stays.
func (c Cells) flat(to []int32) []int32 {
	n := len(c) * pageLen
	to = slices.Grow(to[:0], n)[:n]
	for k, p := range c {
		if p != noCells {
			copy(to[k*pageLen:], p[:])
		}
	}
	return to
}

// mapped returns cells with what f makes of each that is not None.
func (c Cells) mapped(f func(int32) int32) Cells {
	out := make(Cells, len(c))
	for k, p := range c {
		if out[k] = noCells; p == noCells {
			continue
		}
		own := *p
		for i, cell := range own {
			if cell != None {
				own[i] = f(cell)
			}
		}
		out[k] = &own
	}
	return out
}
