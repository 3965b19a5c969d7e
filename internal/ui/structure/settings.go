package structure

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	scene "diptych/internal/scene/structure"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/structure/source"
	"diptych/internal/ui/view"
)

// settings are the keys of --set that say how the view looks.
func settings() []view.Setting {
	set := func(f func(*Own)) func(*session.Session) {
		return func(s *session.Session) { change(s, f) }
	}
	return []view.Setting{
		{Key: "source", Help: "folder of source code: what never ran has cells in the structure, too",
			Early: true, Apply: setSource},
		{Key: "target", Help: "icicle or treemap: what the pointer acts on in the structure",
			Early: true, Apply: view.Choices{
				"icicle":  set(func(o *Own) { o.Input = scene.Icicles }),
				"treemap": set(func(o *Own) { o.Input = scene.Treemap }),
			}.Apply},
		{Key: "linking", Help: "in-focus or outside-focus: what is coloured in the structure",
			Early: true, Apply: view.Choices{
				"in-focus":      set(func(o *Own) { o.Linking = scene.InFocus }),
				"outside-focus": set(func(o *Own) { o.Linking = scene.OutsideFocus }),
			}.Apply},
		{Key: "metric-icicle", Help: "package, depth, calls, total, self or first, then perhaps " +
			":a, :b, :change or :ratio: colours of the stacks", Early: true,
			Apply: setColour(func(o *Own) *scene.Colour { return &o.Icicles })},
		{Key: "metric-treemap", Help: "the same of the code", Early: true,
			Apply: setColour(func(o *Own) *scene.Colour { return &o.Treemap })},
		{Key: "area", Help: "equal, lines, calls or self: areas of the code in the structure", Early: true,
			Apply: view.Choices{
				"equal": set(func(o *Own) { o.Area = structure.EqualArea }),
				"lines": set(func(o *Own) { o.Area = structure.LinesArea }),
				"calls": set(func(o *Own) { o.Area = structure.CallsArea }),
				"self":  set(func(o *Own) { o.Area = structure.SelfArea }),
			}.Apply},
		{Key: "structure-height", Help: "levels above the node under the pointer where the focus begins",
			Early: true, Apply: setHeight},
		{Key: "structure-zoom", Help: "the code that fills the structure, such as internal/trace",
			Early: true, Apply: setZoom},
		{Key: "structure-node", Help: "the code under the pointer in the structure, such as internal/trace",
			Apply: setNode},
	}
}

var metricKeys = []string{"package", "depth", "calls", "total", "self", "first"}

var ofKeys = []string{"both", "a", "b", "change", "ratio"}

// setColour makes a setting of a measure and, after a colon, the side it is of.
func setColour(colour func(*Own) *scene.Colour) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		name, of, sided := strings.Cut(v, ":")
		m, k := slices.Index(metricKeys, name), slices.Index(ofKeys, of)
		if !sided {
			k = 0
		}
		if m < 0 || k < 0 {
			return fmt.Errorf("want %s, and after a colon %s", strings.Join(metricKeys, ", "),
				strings.Join(ofKeys, ", "))
		}
		change(s, func(o *Own) { *colour(o) = scene.Colour{Metric: scene.Metric(m), Of: scene.Of(k)} })
		return nil
	}
}

func setHeight(s *session.Session, v string) error {
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > mostHeight {
		return fmt.Errorf("want a number of levels")
	}
	change(s, func(o *Own) { o.Height = n })
	return nil
}

// setSource chooses the source folder. In the window the setting comes before any trace, so that
// what is wrong with the folder is best told at once.
func setSource(s *session.Session, v string) error {
	if v != "" {
		if err := source.Check(v); err != nil {
			return err
		}
	}
	change(s, func(o *Own) { o.Source = v })
	return nil
}

// setZoom lets a node fill the pane. The tree may not be known yet: then the name is looked up
// when it is.
func setZoom(s *session.Session, v string) error {
	change(s, func(o *Own) {
		if o.Zoom = nil; v != "" {
			o.Zoom = []string{v}
		}
	})
	spellOut(s)
	return nil
}

// spellOut replaces the name of a node, as a user wrote it, by the node's path. An unknown name
// shows all code.
func spellOut(s *session.Session) {
	st := s.State()
	t, o := treeIn(st), ownOf(st)
	if t == nil || t.Find(o.Zoom) >= 0 || len(o.Zoom) != 1 {
		return
	}
	path := t.Path(max(named(t, o.Zoom[0]), 0))
	change(s, func(o *Own) { o.Zoom = path })
}

// named returns the node whose path, with slashes, or whose full name is given, else the first
// whose full name ends with it; None if there is none.
func named(t *structure.Tree, name string) int {
	if n := t.Find(strings.Split(name, "/")); n >= 0 {
		return n
	}
	found := structure.None
	for n := 1; n < len(t.Nodes); n++ {
		switch full := t.FullName(n); {
		case full == name:
			return n
		case found < 0 && strings.HasSuffix(full, name):
			found = n
		}
	}
	return found
}

// setNode brushes a node as the pointer would. The tree may not be known yet: then it is looked up
// when it is.
func setNode(s *session.Session, v string) error {
	s.SetView(View)
	s.Brush(&session.Place{Path: []string{v}, Name: v})
	brushNamed(s)
	return nil
}

// brushNamed replaces the name of what is brushed, as a user wrote it, by the node.
func brushNamed(s *session.Session) {
	st := s.State()
	t, p := treeIn(st), st.Brushed.Place
	if t == nil || p == nil || len(p.Path) != 1 || nodeAt(t, p) > 0 {
		return
	}
	if n := named(t, p.Name); n > 0 {
		s.Brush(placeOf(t, n))
		return
	}
	s.Brush(nil)
}
