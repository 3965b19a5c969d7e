package render

import (
	"image"
	"slices"
)

// damage collects the rectangles in which two frames differ, and joins them to few. If there are
// many, it notes only which tiles of the framebuffer they touch.
type damage struct {
	whole image.Rectangle // the framebuffer
	rects []image.Rectangle
	tiles []bool // row by row; nil while there are few rectangles
}

const (
	// mostRects is how many rectangles are drawn anew one by one, at most.
	mostRects = 10
	// mostPieces is how many are collected one by one.
	mostPieces = 48
	// tile is the width and the height of a tile, px. Rasterisers on the CPU have tiles of 64 px,
	// but hundreds of ribbons may cross in a smaller place, and all are drawn in each pixel.
	tile = 32
)

// perRect is how many pixels can be drawn in the time that a further rectangle takes. Tests, whose
// pictures are small, have it smaller.
var perRect = 12_000

// differ adds where the frames with the marks a and b differ. What is in both, in one order, is
// found by walking both; of two marks that have changed places, the one that has moved farther
// counts as drawn anew. Any choice is right, since what is left of both frames is the same marks in
// the same order.
func (d *damage) differ(a, b []Mark) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		d.addMarks(a)
		d.addMarks(b)
		return
	}
	inB := places(b)
	if !similar(a, inB) {
		d.addMarks(a)
		d.addMarks(b)
		return
	}
	inA := places(a)
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		atB, stays := inB[a[i].Key]
		atA, stayed := inA[b[j].Key]
		if !stays || atB < j || stayed && atA >= i && atB-j > atA-i {
			d.add(a[i].Bounds)
			i++
		} else {
			d.add(b[j].Bounds)
			j++
		}
	}
	d.addMarks(a[i:])
	d.addMarks(b[j:])
}

// places returns the last place of each mark, by key.
func places(marks []Mark) map[uint64]int {
	at := make(map[uint64]int, len(marks))
	for i := range marks {
		at[marks[i].Key] = i
	}
	return at
}

// similar reports whether a fair part of the marks a are in b, judging by a sample.
func similar(a []Mark, inB map[uint64]int) bool {
	const sample = 64
	step, found, seen := max(1, len(a)/sample), 0, 0
	for i := 0; i < len(a); i += step {
		if _, ok := inB[a[i].Key]; ok {
			found++
		}
		seen++
	}
	return seen < sample || 4*found >= seen
}

func (d *damage) addMarks(marks []Mark) {
	for i := range marks {
		d.add(marks[i].Bounds)
	}
}

// add adds a rectangle.
func (d *damage) add(r image.Rectangle) {
	r = r.Intersect(d.whole)
	if r.Empty() {
		return
	}
	if d.tiles != nil {
		d.touch(r)
		return
	}
	if d.rects = append(d.rects, r); len(d.rects) <= mostPieces {
		return
	}
	d.tiles = make([]bool, d.columns()*((d.whole.Max.Y+tile-1)/tile))
	for _, r := range d.rects {
		d.touch(r)
	}
	d.rects = d.rects[:0]
}

func (d *damage) columns() int { return (d.whole.Max.X + tile - 1) / tile }

// touch notes the tiles of a rectangle.
func (d *damage) touch(r image.Rectangle) {
	for y := r.Min.Y / tile; y <= (r.Max.Y-1)/tile; y++ {
		for x := r.Min.X / tile; x <= (r.Max.X-1)/tile; x++ {
			d.tiles[y*d.columns()+x] = true
		}
	}
}

// collect makes rectangles of the tiles: of each row those from one gap to the next, and what is
// alike in rows that follow one another.
func (d *damage) collect() {
	const gap = 3 // tiles; closer ones are joined
	columns := d.columns()
	for y := 0; y*columns < len(d.tiles); y++ {
		first := len(d.rects)
		for x, on := range d.tiles[y*columns : (y+1)*columns] {
			if !on {
				continue
			}
			t := image.Rect(x*tile, y*tile, (x+1)*tile, (y+1)*tile)
			if n := len(d.rects); n > first && t.Min.X-d.rects[n-1].Max.X < gap*tile {
				d.rects[n-1].Max.X = t.Max.X
			} else {
				d.rects = append(d.rects, t)
			}
		}
		d.stack(first)
	}
}

// stack joins the rectangles from the index first on with those above them that are as wide.
func (d *damage) stack(first int) {
	kept := first
	for _, r := range d.rects[first:] {
		above := slices.IndexFunc(d.rects[:first], func(a image.Rectangle) bool {
			return a.Max.Y == r.Min.Y && a.Min.X == r.Min.X && a.Max.X == r.Max.X
		})
		if above >= 0 {
			d.rects[above].Max.Y = r.Max.Y
			continue
		}
		d.rects[kept] = r
		kept++
	}
	d.rects = d.rects[:kept]
}

// join joins rectangles until there are at most most, those first that make least of what none of
// them covers, and then as long as it saves time. The rectangles that are left overlap nowhere.
func (d *damage) join(most int) {
	for {
		d.absorb()
		i, j, waste := d.nearest()
		if i < 0 || waste > perRect && len(d.rects) <= most {
			return
		}
		d.rects[i] = d.rects[i].Union(d.rects[j])
		d.rects = slices.Delete(d.rects, j, j+1)
	}
}

// absorb joins rectangles that overlap.
func (d *damage) absorb() {
	for again := true; again; {
		again = false
		for i := 0; i < len(d.rects); i++ {
			for j := len(d.rects) - 1; j > i; j-- {
				if d.rects[i].Overlaps(d.rects[j]) {
					d.rects[i] = d.rects[i].Union(d.rects[j])
					d.rects = slices.Delete(d.rects, j, j+1)
					again = true
				}
			}
		}
	}
}

// nearest returns the two rectangles that are joined at the least waste, in px; i < 0 if there are
// no two.
func (d *damage) nearest() (i, j, waste int) {
	i = -1
	for m := range d.rects {
		for n := m + 1; n < len(d.rects); n++ {
			w := area(d.rects[m].Union(d.rects[n])) - area(d.rects[m]) - area(d.rects[n])
			if i < 0 || w < waste {
				i, j, waste = m, n, w
			}
		}
	}
	return i, j, waste
}

// few returns the rectangles: one that is the whole framebuffer where little would be left out.
func (d *damage) few() []image.Rectangle {
	if d.tiles != nil {
		d.collect()
	}
	d.join(mostRects)
	sum := 0
	for i, r := range d.rects {
		d.rects[i] = r.Intersect(d.whole)
		sum += area(d.rects[i])
	}
	if 4*sum > 3*area(d.whole) {
		return []image.Rectangle{d.whole}
	}
	return d.rects
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }
