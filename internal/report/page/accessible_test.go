package page

import (
	"slices"
	"strings"
	"testing"

	"diptych/internal/report/page/browsertest"
)

// What WCAG 2.2 asks at level AA of a page like this one, as far as a program can tell: names and
// roles as assistive technology gets them (4.1.2), contrast (1.4.3), structure (1.3.1), language
// (3.1.1), and the size of targets (2.5.8).

// node is one of the accessibility tree.
type node struct {
	Ignored bool
	Role    struct{ Value string }
	Name    struct{ Value string }
}

// named are the roles that are useless without a name.
var named = []string{"button", "link", "combobox", "searchbox", "textbox", "image", "img", "region",
	"navigation", "table", "columnheader", "DisclosureTriangle", "list", "RootWebArea"}

func isAccessible(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	keepsRules(t, b)
	var tree struct{ Nodes []node }
	b.Call("Accessibility.getFullAXTree", nil, &tree)
	seen, regions := map[string]int{}, map[string]bool{}
	for _, n := range tree.Nodes {
		if n.Ignored {
			continue
		}
		seen[n.Role.Value]++
		if n.Role.Value == "region" && regions[n.Name.Value] {
			t.Errorf("several regions are called %q", n.Name.Value)
		}
		regions[n.Name.Value] = regions[n.Name.Value] || n.Role.Value == "region"
		// The findings are named by the heading above them.
		if slices.Contains(named, n.Role.Value) && n.Role.Value != "list" && strings.TrimSpace(n.Name.Value) == "" {
			t.Errorf("a %s has no name", n.Role.Value)
		}
	}
	for _, role := range []string{"main", "navigation", "banner", "contentinfo", "table", "heading", "searchbox",
		"combobox"} {
		if seen[role] == 0 {
			t.Errorf("there is no %s", role)
		}
	}
}

// keepsRules holds what the page can find out by itself, also in other colours.
func keepsRules(t *testing.T, b *browsertest.Browser) {
	t.Helper()
	for _, rule := range rules {
		if got := b.Eval("(%s)()", rule.of); got != "" {
			t.Errorf("%s:\n%s", rule.says, got)
		}
	}
}

// rules are functions in the page that list what breaks them.
var rules = []struct{ says, of string }{
	{"the page has a language and a title",
		`() => document.documentElement.lang === "en" && document.title ? "" : "no"`},
	{"headings go down by one level at a time, from one h1", `() => {
		const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map(h => +h.tagName[1]);
		const skips = levels.filter((l, i) => l > (i ? levels[i - 1] : 0) + 1);
		return skips.length || levels.filter(l => l === 1).length !== 1 ? levels.join(" ") : "";
	}`},
	{"ids are used once", `() => {
		const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
		return ids.filter((id, i) => ids.indexOf(id) !== i).join(" ");
	}`},
	{"heads of columns and rows say what they head",
		`() => [...document.querySelectorAll("th:not([scope])")].map(e => e.innerText).join("\n")`},
	{"what is pressed is at least 24 px high", `() => [...document.querySelectorAll("button, select, input")]
		.filter(e => e.offsetParent && e.getBoundingClientRect().height < 24)
		.map(e => e.outerHTML.slice(0, 90)).join("\n")`},
	{"text has a contrast of 4.5 at least", `() => {
		const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
		const known = new Map();
		const rgba = (css) => {
			if (!known.has(css)) {
				canvas.clearRect(0, 0, 1, 1);
				canvas.fillStyle = css;
				canvas.fillRect(0, 0, 1, 1);
				known.set(css, [...canvas.getImageData(0, 0, 1, 1).data]);
			}
			return known.get(css);
		};
		const light = (rgb) => rgb.slice(0, 3).map(v => v / 255)
			.map(v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
			.reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
		const ground = (e) => {
			for (; e; e = e.parentElement) {
				const c = rgba(getComputedStyle(e).backgroundColor);
				if (c[3] === 255) return c;
			}
			return [255, 255, 255];
		};
		const bad = new Set();
		for (const e of document.querySelectorAll("body *:not(svg *):not(script):not(noscript)")) {
			const text = [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
			if (!text || !e.checkVisibility()) continue;
			const [x, y] = [light(rgba(getComputedStyle(e).color)), light(ground(e))];
			const contrast = (Math.max(x, y) + .05) / (Math.min(x, y) + .05);
			if (contrast < 4.5) bad.add(e.tagName + "." + e.className + " " + contrast.toFixed(2));
		}
		return [...bad].join("\n");
	}`},
}
