package fleetpage

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/batch/fleet"
	"diptych/internal/report/page/browsertest"
)

// TestInABrowser opens the page of a batch as a reader does, points at the matrix, and turns its
// controls. One browser serves all, since starting it takes longest.
func TestInABrowser(t *testing.T) {
	p, f := reported(t)
	var html bytes.Buffer
	if err := p.WriteHTML(&html); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, html.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b := &reader{Browser: browsertest.Start(t), t: t, f: f}
	b.Size(1280, 800, false)
	b.Open(path)
	b.Eval(`(document.querySelector("#matrix").scrollIntoView(), 0)`)
	for _, c := range []struct {
		name string
		test func(*testing.T, *reader)
	}{{"pointing", tellsCells}, {"keys", choosesByKeys}, {"areas", paintsAreas}, {"dark", paintsDark},
		{"narrow", fitsNarrow}} {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			c.test(t, b)
		})
	}
	for _, noise := range b.Noise {
		t.Errorf("the page makes noise: %.500s", noise)
	}
}

// reader is somebody who looks at the page of a fleet.
type reader struct {
	*browsertest.Browser
	t *testing.T
	f *fleet.Fleet
}

func (b *reader) number(expression string) float64 {
	b.t.Helper()
	v, err := strconv.ParseFloat(b.Eval("%s", expression), 64)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// point moves the pointer to a row, counted from above, at a share of the time, and returns what the
// tip says; "" if it is hidden. Rows are 22 px here, below half a label.
func (b *reader) point(row int, share float64) string {
	b.t.Helper()
	const canvas = `document.querySelector("#matrix-canvas").getBoundingClientRect()`
	left := b.number(canvas+".left") + b.left()
	b.Move(left+share*(b.number(canvas+".right")-1-left), b.number(canvas+".top")+22*(float64(row)+.5))
	return b.Eval(`(tip => tip.hidden ? "" : tip.textContent)(document.querySelector("#tip"))`)
}

// left is where the cells begin in the canvas, px: behind the longest name.
func (b *reader) left() float64 {
	b.t.Helper()
	return b.number(`(c => { const g = c.getContext("2d"); g.font = "11px " + getComputedStyle(c).fontFamily;
		return Math.min(Math.ceil(Math.max(...JSON.parse(document.querySelector("#data").textContent).rows
			.map(r => g.measureText(r.name).width))) + 18, 190, Math.round(c.parentElement.clientWidth * .3)) })` +
		`(document.querySelector("#matrix-canvas"))`)
}

// colour returns the colour of the canvas at a row and a share of the time, as r,g,b.
func (b *reader) colour(row int, share float64) string {
	b.t.Helper()
	return b.Eval(`(c => {
		const one = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
		one.drawImage(c, %[1]g + %[2]g * (c.clientWidth - 1 - %[1]g), %[3]d, 1, 1, 0, 0, 1, 1);
		return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
	})(document.querySelector("#matrix-canvas"))`, b.left(), share, row*22+8)
}

// tellsCells: the tip names the pair of the row and the bucket under the pointer, with what happens
// there, and is gone once the pointer is.
func tellsCells(t *testing.T, b *reader) {
	for row, k := range b.f.Matrix.Pairs {
		bucket := 20 + 10*row
		said := b.point(row, (float64(bucket)+.5)/200)
		lines := strings.Split(said, "\n")
		p := &b.f.Pairs[k]
		if len(lines) != 6 || lines[0] != p.Pair || lines[1] != fmt.Sprint("cluster ", p.Cluster+1) ||
			lines[2] != fmt.Sprintf("bucket %d of 200", bucket) {
			t.Errorf("row %d: %q", row, said)
			continue
		}
		lag := b.f.Matrix.Row(fleet.Lag, row)[bucket]
		if want := fmt.Sprintf("B falls behind by %.0f %% of the time", 100*lag); lag >= 0 && lines[3] != want {
			t.Errorf("row %d: %q, want %q", row, lines[3], want)
		}
	}
	if said := b.point(len(b.f.Matrix.Pairs)+4, .5); said != "" {
		t.Errorf("below the rows: %q", said)
	}
}

// slowRow returns the row of the pair in which B falls behind.
func (b *reader) slowRow() int {
	for row, k := range b.f.Matrix.Pairs {
		if b.f.Pairs[k].Outlier != nil {
			return row
		}
	}
	b.t.Fatal("there is no outlier")
	return 0
}

// press focuses a control and presses keys.
func (b *reader) press(id string, keys ...string) {
	b.t.Helper()
	b.Eval(`(document.querySelector(%q).focus(), 0)`, id)
	for _, key := range keys {
		b.Press(key)
	}
}

// choosesByKeys: the controls take keys. The colours and the legend tell another quantity then, and
// rows are in the order of the manifest.
func choosesByKeys(t *testing.T, b *reader) {
	row, mid := b.slowRow(), .5
	behind := b.colour(row, mid)
	if calm := b.colour((row+1)%len(b.f.Matrix.Pairs), mid); behind == calm {
		t.Fatalf("the slow pair has the colour %s of others", calm)
	}
	legend := func() string {
		return b.Eval(`[...document.querySelectorAll(".legend li:not([hidden])")].map(e => e.innerText).join()`)
	}
	if got := legend(); got != "B falls behind,B catches up" {
		t.Errorf("the legend says %q", got)
	}
	b.press("#quantity", "ArrowDown")
	if got := legend(); got != "calls are different or missing" || b.colour(row, mid) == behind {
		t.Errorf("after a key the legend says %q", got)
	}
	b.press("#quantity", "ArrowUp")
	if got := b.colour(row, mid); got != behind {
		t.Errorf("back again: %s, was %s", got, behind)
	}
	b.press("#order", "ArrowDown")
	first := strings.Split(b.point(0, mid), "\n")[0]
	third := strings.Split(b.point(3, mid), "\n")[0]
	if first != b.f.Pairs[0].Pair || third != b.f.Pairs[3].Pair || b.colour(3, mid) != behind {
		t.Errorf("in order of the manifest: %q, %q", first, third)
	}
}

// paintsAreas: areas are in the order of clusters, which cannot be changed then.
func paintsAreas(t *testing.T, b *reader) {
	b.press("#form", "ArrowDown")
	if b.Eval(`document.querySelector("#order").disabled + document.querySelector("#order").value`) != "truecluster" {
		t.Error("areas can be put in another order")
	}
	row := b.slowRow()
	if b.colour(row, .5) == b.colour((row+1)%len(b.f.Matrix.Pairs), .5) {
		t.Error("areas have one colour")
	}
	b.press("#form", "ArrowUp")
}

// paintsDark: the cells have the colours of the theme that is chosen.
func paintsDark(t *testing.T, b *reader) {
	row := b.slowRow()
	light := b.colour(row, .5)
	b.Eval(`(document.querySelector("#theme").click(), 0)`)
	if dark := b.colour(row, .5); dark == light {
		t.Errorf("the cells stay %s in the dark", dark)
	}
}

// fitsNarrow: on a phone the matrix is as wide as the page, which does not scroll sideways.
func fitsNarrow(t *testing.T, b *reader) {
	b.Size(390, 800, false)
	b.Eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))") // it hears of it
	if w := b.number("document.documentElement.scrollWidth"); w > 390 {
		t.Errorf("the page is %g px wide: %s", w, b.Eval(`[...document.querySelectorAll("main *")].filter(e =>
			e.getBoundingClientRect().right > 391).slice(0, 6).map(e => e.tagName + "#" + e.id + "." + e.className).join()`))
	}
	wide := b.number(`document.querySelector("#matrix-canvas").clientWidth`)
	if px := b.number(`document.querySelector("#matrix-canvas").width`); px != wide || wide > 390 {
		t.Errorf("the matrix is %g px wide and has %g", wide, px)
	}
}
