package aggregate

import (
	"bytes"
	"flag"
	"image"
	"image/draw"
	"image/png"
	"os"
	"slices"
	"testing"

	"diptych/internal/aggregate"
	"diptych/internal/pair"
	"diptych/internal/palette"
	"diptych/internal/trace"
)

// This file draws a trace as most viewers do, and measures what that hides.

var pixels = flag.String("pixels", "", "file that the pixel-guided rendering is written to")

// narrow is the width of a window that shows as many calls a pixel as one of 1,000 px does of the
// run with all its iterations.
const narrow = 330

// pixelGuided draws a trace as most viewers do: a row a thread, and in each pixel the call that was
// drawn there last, which is the innermost one that began last in it. It returns the function of
// each pixel, −1 where nothing runs.
func pixelGuided(t *trace.Trace, width int) [][]int {
	var rows [][]int
	for _, th := range t.Threads {
		row := slices.Repeat([]int{-1}, width)
		at := func(ns int64) int { return int(float64(ns) / float64(t.Duration) * float64(width)) }
		for i := range th.Len() {
			for x := at(th.Start(i)); x <= min(at(th.End(i)), width-1); x++ {
				row[x] = int(th.Fn[i])
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// entities counts the rectangles of one colour in a pixel-guided rendering.
func entities(rows [][]int) (n int) {
	for _, row := range rows {
		for x := range row {
			if x == 0 || row[x] != row[x-1] {
				n++
			}
		}
	}
	return n
}

// hiddenIn returns the share of the time in which something else runs than the pixel shows.
func hiddenIn(t *trace.Trace, rows [][]int) float64 {
	var hidden, all float64
	for k, th := range t.Threads {
		width := len(rows[k])
		for i := range th.Len() {
			eachSelf(th, i, func(from, to int64) {
				for ns := from; ns < to; {
					x := int(ns * int64(width) / t.Duration)
					end := min(to, (int64(x+1)*t.Duration+int64(width)-1)/int64(width))
					if all += float64(end - ns); rows[k][min(x, width-1)] != int(th.Fn[i]) {
						hidden += float64(end - ns)
					}
					ns = end
				}
			})
		}
	}
	return hidden / all
}

// eachSelf calls f with each stretch of time in which a call is the innermost one.
func eachSelf(th *trace.Thread, i int, f func(from, to int64)) {
	at := th.Start(i)
	for c := i + 1; c < i+int(th.Size(i)); c += int(th.Size(c)) {
		f(at, th.Start(c))
		at = th.End(c)
	}
	f(at, th.End(i))
}

// movedBetween returns the share of the pixels that have another colour at the same place of a
// rendering of another width.
func movedBetween(a, b [][]int) float64 {
	var moved, all float64
	for k := range a {
		for x, fn := range a[k] {
			if all++; fn != b[k][x*len(b[k])/len(a[k])] {
				moved++
			}
		}
	}
	return moved / all
}

// TestPixelGuided holds the picture in the documents against the rendering of the usual case. With
// -pixels it writes the picture.
func TestPixelGuided(t *testing.T) {
	b, _ := perturbed(0, pair.B)
	got := picture(b[0])
	if *pixels != "" {
		f, err := os.Create(*pixels)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, got); err != nil {
			t.Fatal(err)
		}
		return
	}
	f, err := os.Open("../../../docs/overview-pixels.png")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	same := image.NewNRGBA(want.Bounds())
	draw.Draw(same, same.Rect, want, same.Rect.Min, draw.Src)
	if same.Rect != got.Rect || !bytes.Equal(same.Pix, got.Pix) {
		t.Errorf("the document has another picture of %v, want %v", same.Rect, got.Rect)
	}
}

// picture draws the pixel-guided rendering, four rows of pixels a thread.
func picture(tr *trace.Trace) *image.NRGBA {
	const width, high = 1160, 4
	rows := pixelGuided(tr, width)
	names := make([]string, len(tr.Functions))
	for i, f := range tr.Functions {
		names[i] = f.Name
	}
	inks, ground := palette.Light().States(names, aggregate.Other), palette.Light().Pane
	pic := image.NewNRGBA(image.Rect(0, 0, width, high*len(rows)))
	for k, row := range rows {
		for x, fn := range row {
			ink := ground
			if fn >= 0 {
				ink = inks[fn]
			}
			for y := range high {
				pic.SetNRGBA(x, k*high+y, ink)
			}
		}
	}
	return pic
}
