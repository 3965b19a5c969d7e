package page

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"diptych/internal/geom"
	"diptych/internal/report/page/browsertest"
)

var update = flag.Bool("update", false, "write the picture of the manual anew")

// TestInABrowser opens a report as a reader does, by its file, in a window and on a phone, in light
// and in dark. Nothing is said on the console and nothing is asked of the network. One browser
// serves all, since starting it takes longest.
func TestInABrowser(t *testing.T) {
	p := reported(t, recorded(t, queue))
	path := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(path, []byte(written(t, p.WriteHTML)), 0o600); err != nil {
		t.Fatal(err)
	}
	b := browsertest.Start(t)
	b.Size(1180, 1020, false)
	b.Open(path)
	if picture := b.Screenshot(); *update {
		if err := os.WriteFile("../../../docs/report.png", picture, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	b.Size(1280, 800, false)
	t.Run("what it says", func(t *testing.T) { saysWhatDiffers(t, b, p) })
	t.Run("sorting", func(t *testing.T) { sorts(t, b) })
	t.Run("sorting by size", func(t *testing.T) { sortsBySize(t, b) })
	t.Run("sorting names", func(t *testing.T) { sortsNames(t, b) })
	t.Run("filtering", func(t *testing.T) { filters(t, b) })
	t.Run("stacks", func(t *testing.T) { zooms(t, b) })
	t.Run("units", func(t *testing.T) { formatsLikeGo(t, b) })
	t.Run("accessible", func(t *testing.T) { isAccessible(t, b) })
	t.Run("dark", func(t *testing.T) { turnsDark(t, b) })
	t.Run("phone", func(t *testing.T) { fitsAPhone(t, b) })
	t.Run("print", func(t *testing.T) {
		if pages := bytes.Count(b.PDF(), []byte("/Type /Page\n")); pages < 2 {
			t.Errorf("%d pages are printed", pages)
		}
	})
	for _, noise := range b.Noise {
		t.Errorf("the page makes noise: %.500s", noise)
	}
}

func saysWhatDiffers(t *testing.T, b *browsertest.Browser, p *Page) {
	if got := b.Eval(`document.querySelector("h1").innerText`); got != p.Headline {
		t.Errorf("the page is headed %q, want %q", got, p.Headline)
	}
	text := b.Eval("document.body.innerText")
	for _, want := range []string{p.Findings[0].Text, p.Balance[0].Change, p.Tables[0].Title,
		p.Tables[2].Rows[0][0].Text} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in sight", want)
		}
	}
	if n := b.Eval(`document.querySelectorAll("#findings svg path").length`); n == "0" {
		t.Error("the findings have no pictures")
	}
}

// column is the values of a column of the functions in sight, as an expression.
const column = `[...document.querySelectorAll("#functions tbody tr:not([hidden])")].map(r => +r.children[%d].dataset.v)`

func sorts(t *testing.T, b *browsertest.Browser) {
	for _, c := range []struct{ sort, sign string }{{"descending", ">="}, {"ascending", "<="}} {
		b.Eval(`document.querySelector("#functions th:nth-child(2) button").click()`)
		if got := b.Eval(`document.querySelector("#functions th:nth-child(2)").ariaSort`); got != c.sort {
			t.Errorf("the column is %s, want %s", got, c.sort)
		}
		sorted := b.Eval(column+`.every((v, i, all) => i === 0 || all[i-1] %s v)`, 1, c.sign)
		if many := b.Eval(column+`.length`, 1); sorted != "true" || many == "0" {
			t.Errorf("%s rows, sorted: %s", many, sorted)
		}
	}
	if n := b.Eval(`document.querySelectorAll("#functions [aria-sort]").length`); n != "1" {
		t.Errorf("%s columns say that they are sorted", n)
	}
}

// sortsBySize: of B − A, what changed most comes first, whatever its sign, and the page says so.
func sortsBySize(t *testing.T, b *browsertest.Browser) {
	const at = 6 // of Self B − A
	b.Eval(`document.querySelectorAll("#functions thead button")[%d].click()`, at)
	got := b.Eval(column+`.every((v, i, all) => i === 0 || Math.abs(all[i-1]) >= Math.abs(v))`, at)
	if signs := b.Eval(`new Set(`+column+`.map(Math.sign)).size > 1`, at); got != "true" || signs != "true" {
		t.Errorf("sorted by size: %s, with both signs: %s", got, signs)
	}
	for where, want := range map[string]string{`#functions .faint").innerText`: "Sorted by size, whatever the sign: Calls B − A, " +
		"Self B − A, Total B − A.", `#functions [aria-sort]").title`: "Sorted by size, whatever the sign"} {
		if got := b.Eval("%s", `document.querySelector("`+where); !strings.HasSuffix(got, want) {
			t.Errorf("%s is %q, want %q", where, got, want)
		}
	}
	if got := b.Eval(`document.querySelectorAll("#functions thead th")[4].title`); got != "" {
		t.Errorf("Self A says %q", got)
	}
}

// sortsNames: numbers in names are numbers.
func sortsNames(t *testing.T, b *browsertest.Browser) {
	got := b.Eval(`(() => {
		const cells = [...document.querySelectorAll("#functions tbody th")], were = cells.map((c) => c.textContent);
		cells.forEach((c, i) => { c.textContent = "rank" + (cells.length - 1 - i); });
		document.querySelector("#functions thead button").click();
		const sorted = [...document.querySelectorAll("#functions tbody th")].every((c, i) => c.textContent === "rank" + i);
		cells.forEach((c, i) => { c.textContent = were[i]; });
		return cells.length > 10 ? sorted : cells.length + " names";
	})()`)
	if got != "true" {
		t.Errorf("names are in the order of their numbers: %s", got)
	}
}

func filters(t *testing.T, b *browsertest.Browser) {
	const rows = `[...document.querySelectorAll("#functions tbody tr:not([hidden])")]`
	b.Eval(`(() => { const f = document.querySelector("#functions input"); f.value = "SEM_"; ` +
		`f.dispatchEvent(new Event("input")); })()`)
	if got := b.Eval(rows + `.map(r => r.children[0].innerText).every(n => n.includes("sem_"))`); got != "true" {
		t.Error("rows are in sight that do not hold what is typed")
	}
	if n, err := strconv.Atoi(b.Eval(rows + `.length`)); err != nil || n == 0 {
		t.Errorf("%d rows: %v", n, err)
	}
	b.Eval(`(() => { const f = document.querySelector("#functions input"); f.value = ""; ` +
		`f.dispatchEvent(new Event("input")); })()`)
}

// zooms holds that wheel, keys, dragging and the buttons change the picture, that Home brings back
// the first one, and that what is under the pointer is named.
func zooms(t *testing.T, b *browsertest.Browser) {
	picture := func() string { return b.Eval(`document.querySelector("#canvas").toDataURL()`) }
	b.Eval(`document.querySelector("#stacks").scrollIntoView()`)
	first := picture()
	const box = `(() => { const r = document.querySelector("#canvas").getBoundingClientRect(); return %s })()`
	at := func(what string) float64 {
		v, err := strconv.ParseFloat(b.Eval(box, what), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	x, y := at("r.left + r.width / 2"), at("r.top + 8")
	mouse := func(kind string, x, y float64, more map[string]any) {
		event := map[string]any{"type": kind, "x": x, "y": y}
		for k, v := range more {
			event[k] = v
		}
		b.Call("Input.dispatchMouseEvent", event, nil)
	}
	mouse("mouseMoved", x, y, nil)
	if got := b.Eval(`document.querySelector("#tip").innerText`); !strings.Contains(got, "A: ") {
		t.Errorf("the call under the pointer is told as %q", got)
	}
	button := map[string]any{"button": "left", "buttons": 1, "clickCount": 1}
	changes := func(what string, do func()) {
		t.Helper()
		before := picture()
		if do(); picture() == before {
			t.Errorf("%s does not change the picture", what)
		}
	}
	mouse("mousePressed", x, y, button)
	mouse("mouseReleased", x, y, button)
	changes("the wheel", func() { mouse("mouseWheel", x, y, map[string]any{"deltaX": 0, "deltaY": -400}) })
	changes("dragging", func() {
		mouse("mousePressed", x, y, button)
		mouse("mouseMoved", x-60, y, button)
		mouse("mouseReleased", x-60, y, button)
	})
	for _, key := range []string{"+", "ArrowLeft", "-"} {
		changes(key, func() {
			b.Call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key}, nil)
		})
	}
	changes("a finding's button", func() { b.Eval(`document.querySelector("button.show").click()`) })
	b.Eval(`document.querySelector("#thread-pair").selectedIndex = 0, ` +
		`document.querySelector("#thread-pair").dispatchEvent(new Event("change"))`)
	mouse("mouseMoved", 5, 5, nil)
	if picture() != first {
		t.Error("the first picture does not come back")
	}
	b.Eval(`document.querySelector("#inview").open = true`)
	b.Eval(`new Promise(requestAnimationFrame)`) // toggle events are queued
	if n := b.Eval(`document.querySelectorAll("#inview tbody tr").length`); n == "0" {
		t.Error("the table of calls in view is empty")
	}
}

// formatsLikeGo holds that the page writes amounts as the program does.
func formatsLikeGo(t *testing.T, b *browsertest.Browser) {
	for _, unit := range []string{"ns", "bytes", "count", "samples"} {
		for _, v := range []float64{0, 1, 9, 999, 999.6, 1000, 1023, 1234, 99949, 99950, 1e6, 5.5e7, 6e10, 4e12, -1500} {
			got, want := b.Eval("format(%v, %q)", v, unit), geom.FormatValue(v, unit)
			if got != want {
				t.Errorf("%v %s is %q, want %q", v, unit, got, want)
			}
		}
	}
}

func turnsDark(t *testing.T, b *browsertest.Browser) {
	ground := func() string { return b.Eval("getComputedStyle(document.body).backgroundColor") }
	light := ground()
	b.Eval(`document.querySelector("#theme").click()`)
	if dark := ground(); dark == light {
		t.Error("the button does not make the page dark")
	}
	keepsRules(t, b)
	b.Eval(`document.querySelector("#theme").click()`)
	b.Size(1280, 800, true)
	if ground() != light {
		t.Error("what was chosen does not hold against the system's choice")
	}
	b.Eval("delete document.documentElement.dataset.theme")
	if ground() == light {
		t.Error("the page does not follow the system")
	}
}

// fitsAPhone holds that nothing makes the page wider than a phone, but what scrolls by itself.
func fitsAPhone(t *testing.T, b *browsertest.Browser) {
	b.Size(390, 800, false)
	b.Eval(`new Promise(requestAnimationFrame)`)
	if wide := b.Eval("document.documentElement.scrollWidth"); wide != "390" {
		t.Errorf("the page is %s px wide", wide)
	}
	b.Eval(`new Promise(requestAnimationFrame)`)
	const place = `const box = document.querySelector(".place[open] .scroll"), svg = box.firstElementChild;`
	if wide := b.Eval(`(() => {` + place + `return svg.getBoundingClientRect().width})()`); wide != "660" {
		t.Errorf("the picture of a finding is %s px wide: its texts cannot be read", wide)
	}
	off := b.Eval(`(() => {` + place + `return Math.abs(box.scrollLeft + box.clientWidth / 2 - 330) < 2})()`)
	if off != "true" {
		t.Errorf("the middle of the picture is not in sight")
	}
}
