package fleetpage

import (
	"bytes"
	"fmt"
	"math"
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
	b.measure()
	for _, c := range []struct {
		name string
		test func(*testing.T, *reader)
	}{{"pointing", tellsCells}, {"keys", choosesByKeys}, {"cursor", movesTheCursor},
		{"areas", paintsAreas}, {"dark", paintsDark},
		{"scale", spacesScale}, {"narrow", fitsNarrow}} {
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
	t  *testing.T
	f  *fleet.Fleet
	at place
}

func (b *reader) number(expression string) float64 {
	b.t.Helper()
	v, err := strconv.ParseFloat(b.Eval("%s", expression), 64)
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// place is where the cells are: the left and upper borders of the canvas in what is in sight, its
// right border, and where cells begin in it, behind the longest name.
type place struct{ left, top, right, cells float64 }

// measure asks where the cells are.
func (b *reader) measure() {
	b.t.Helper()
	text := b.Eval(`(c => { const g = c.getContext("2d"), box = c.getBoundingClientRect();
		g.font = "11px " + getComputedStyle(c).fontFamily;
		return [box.left, box.top, box.right, Math.min(Math.ceil(Math.max(...JSON.parse(
			document.querySelector("#data").textContent).rows.map(r => g.measureText(r.name).width))) + 18, 190,
			Math.round(c.parentElement.clientWidth * .3))].join(" ") })(document.querySelector("#matrix-canvas"))`)
	if _, err := fmt.Sscan(text, &b.at.left, &b.at.top, &b.at.right, &b.at.cells); err != nil {
		b.t.Fatalf("%q: %v", text, err)
	}
}

// point moves the pointer to a row, counted from above, at a share of the time, and returns what the
// tip says; "" if it is hidden. Rows are 22 px here, below half a label.
func (b *reader) point(row int, share float64) string {
	b.t.Helper()
	left := b.at.left + b.at.cells
	b.Move(left+share*(b.at.right-1-left), b.at.top+22*(float64(row)+.5))
	return b.Eval(`(tip => tip.hidden ? "" : tip.textContent)(document.querySelector("#tip"))`)
}

// colour returns the colour of the canvas at a row and a share of the time, as r,g,b.
func (b *reader) colour(row int, share float64) string {
	b.t.Helper()
	return b.Eval(`(c => {
		const one = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
		one.drawImage(c, %[1]g + %[2]g * (c.clientWidth - 1 - %[1]g), %[3]d, 1, 1, 0, 0, 1, 1);
		return [...one.getImageData(0, 0, 1, 1).data].slice(0, 3).join();
	})(document.querySelector("#matrix-canvas"))`, b.at.cells, share, row*22+8)
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
	if got := legend(); got != "B falls behind by 1 % 25 % 100 % of a bucket,B catches up by 1 % 25 % 100 %" {
		t.Errorf("the legend says %q", got)
	}
	b.press("#quantity", "ArrowDown")
	if got := legend(); got != "calls that are different or missing 1 % 25 % 100 %" || b.colour(row, mid) == behind {
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

// movesTheCursor: a focused matrix takes keys. The cursor goes from cell to cell, is seen where it is,
// its cell is told to readers of the screen, and Enter goes to its pair in the table, as a click does.
func movesTheCursor(t *testing.T, b *reader) {
	b.press("#order", "ArrowUp")
	state := func() []string {
		return strings.Split(b.Eval(`(() => { const f = document.querySelector("#matrix-cursor"), c = document.activeElement,
			tip = document.querySelector("#tip"), box = f.getBoundingClientRect(), of = c.getBoundingClientRect();
			return [c.id, f.hidden, document.querySelector("#matrix-said").textContent, tip.hidden ? "" : tip.textContent,
				(box.left + box.right) / 2 - of.left, (box.top + box.bottom) / 2 - of.top].join("|") })()`), "|")
	}
	rows, slow := b.f.Matrix.Pairs, b.slowRow()
	buckets := (b.at.right - 1 - b.at.left - b.at.cells) / 200 // px of one
	for _, c := range []struct {
		keys        []string
		row, bucket int
	}{{[]string{"Tab"}, slow, 0}, {[]string{"ArrowUp", "ArrowRight", "ArrowRight"}, slow - 1, 2},
		{[]string{"End", "PageUp"}, 0, 199}, {[]string{"ArrowRight", "ArrowUp"}, 0, 199},
		{[]string{"Home", "ArrowLeft", "PageDown"}, len(rows) - 1, 0}} {
		for _, key := range c.keys {
			b.Press(key)
		}
		p := &b.f.Pairs[rows[c.row]]
		lag := math.Abs(b.f.Matrix.Row(fleet.Lag, c.row)[c.bucket])
		said, outlier := fmt.Sprintf("row %d of %d", c.row+1, len(rows)), ""
		if p.Outlier != nil {
			outlier = ", outlier"
		}
		want := fmt.Sprintf("%s, %s%s, %.3g %% of the time: B ", p.Pair, said, outlier, float64(c.bucket)/2)
		s := state()
		if s[0] != "matrix-canvas" || s[1] != "false" || !strings.HasPrefix(s[2], want) ||
			!strings.HasSuffix(s[2], fmt.Sprintf(" by %.0f %% of the time", 100*lag)) ||
			!strings.HasPrefix(s[3], p.Pair+"\n") {
			t.Errorf("after %v: %q, want %q", c.keys, s, want)
		}
		x, _ := strconv.ParseFloat(s[4], 64)
		y, _ := strconv.ParseFloat(s[5], 64)
		if math.Abs(x-b.at.cells-buckets*(float64(c.bucket)+.5)) > 1 || math.Abs(y-22*(float64(c.row)+.5)) > 1 {
			t.Errorf("after %v the cursor is at %g, %g", c.keys, x, y)
		}
	}
	b.Press("Enter")
	at := func() string {
		return b.Eval(`(e => e.closest("section").id + " " + e.children[1].dataset.v)(document.activeElement)`)
	}
	if want := fmt.Sprint("pairs ", b.f.Pairs[rows[len(rows)-1]].Number); at() != want || state()[1] != "true" {
		t.Errorf("Enter goes to %q, want %q", at(), want)
	}
	b.Eval(`(document.querySelector("#matrix").scrollIntoView(), 0)`)
	b.measure()
	b.Click(b.at.left+b.at.cells+50, b.at.top+22*(float64(slow)+.5))
	if want := fmt.Sprint("pairs ", b.f.Pairs[rows[slow]].Number); at() != want {
		t.Errorf("a click goes to %q, want %q", at(), want)
	}
	b.Eval(`(document.querySelector("#matrix").scrollIntoView(), 0)`)
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

// scale returns what the scale of time says, and the least distance of two texts, px.
func (b *reader) scale() (texts []string, least float64) {
	b.t.Helper()
	said := b.Eval(`(() => {
		const proto = CanvasRenderingContext2D.prototype, write = proto.fillText, boxes = [];
		proto.fillText = function (text, x, y) {
			const w = this.measureText(text).width, left = x - w * { left: 0, center: .5, right: 1 }[this.textAlign];
			if (/^[\d]+ %%$/.test(text)) boxes.push({ text, left, right: left + w });
			write.call(this, text, x, y);
		};
		dispatchEvent(new Event("resize"));
		proto.fillText = write;
		return boxes.map((x) => x.text).join() + "|" + Math.min(...boxes.slice(1).map((x, i) => x.left - boxes[i].right));
	})()`)
	list, gap, _ := strings.Cut(said, "|")
	least, err := strconv.ParseFloat(gap, 64)
	if err != nil {
		b.t.Fatalf("%q: %v", said, err)
	}
	return strings.Split(list, ","), least
}

// spacesScale: the texts of the scale stand apart, and there are fewer where there is less room.
func spacesScale(t *testing.T, b *reader) {
	before := 11
	for _, wide := range []int{1280, 390, 240} {
		b.Size(wide, 800, false)
		b.Eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
		texts, least := b.scale()
		n := len(texts)
		if wide == 1280 && n != before || n < 3 || n > before || least < 4 || texts[0] != "0 %" || texts[n-1] != "100 %" {
			t.Errorf("at %d px the scale says %q, %g px apart", wide, texts, least)
		}
		before = n
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
