package saved

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// check returns what is wrong with the session by itself.
func (s *Session) check() error {
	for _, check := range []func() error{s.checkTraces, s.checkMarks, s.checkLook, s.checkPanes} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) checkTraces() error {
	switch {
	case s.Traces.A.Path == "" && s.Traces.B.Path == "":
		return invalidf("/traces", "no trace is named")
	case max(len(s.Runs.A), len(s.Runs.B)) > mostRuns:
		return invalidf("/runs", "there can be at most %d runs", mostRuns)
	case len(s.Pairs) > mostPairs:
		return invalidf("/pairs", "there can be at most %d pairs", mostPairs)
	}
	for side, at := range []jsontext.Pointer{"/threads/a", "/threads/b"} {
		list := *s.Threads.On(side)
		if len(list) > mostThreads {
			return invalidf(at, "there can be at most %d threads", mostThreads)
		}
		for i, t := range list {
			if len(t.Runs) > mostRan || slices.ContainsFunc(t.Runs, func(r Ran) bool { return r.Times < 1 }) {
				return invalidf(item(at, i), "a thread runs at most %d functions, each at least once", mostRan)
			}
		}
	}
	for i, p := range s.Pairs {
		if p.A == nil && p.B == nil {
			return invalidf(item("/pairs", i), "a pair names no thread")
		}
	}
	for _, t := range []struct {
		at   jsontext.Pointer
		path string
	}{{"/traces/a/path", s.Traces.A.Path}, {"/traces/b/path", s.Traces.B.Path}, {"/rules", s.Rules}} {
		if strings.ContainsRune(t.path, 0) || !utf8.ValidString(t.path) {
			return invalidf(t.at, "no file can have such a name")
		}
	}
	return nil
}

// checkMarks checks what is attached to calls and times.
func (s *Session) checkMarks() error {
	switch {
	case len(s.Notes) > MostNotes:
		return invalidf("/notes", "there can be at most %d notes", MostNotes)
	case len(s.Anchors) > mostAnchors:
		return invalidf("/anchors", "there can be at most %d anchors", mostAnchors)
	}
	numbers := map[int]bool{}
	for i, n := range s.Notes {
		at := item("/notes", i)
		switch {
		case n.Number < 1 || n.Number > mostNumber || numbers[n.Number]:
			return invalidf(at+"/number", "notes need numbers from 1 to a billion, each its own")
		case len(n.Text) > MostText:
			return invalidf(at+"/text", "a note has at most %d bytes", MostText)
		case !isSide(n.Side):
			return invalidf(at+"/side", "want a or b")
		case n.Call != nil && n.Call.Index < 0:
			return invalidf(at+"/call/index", "there is no such call")
		}
		numbers[n.Number] = true
	}
	for i, x := range s.Anchors {
		if x.A.Index < 0 || x.B.Index < 0 {
			return invalidf(item("/anchors", i), "there is no such call")
		}
	}
	if p := s.Selected; p != nil && (!isSide(p.Side) || p.Call.Index < 0) {
		return invalidf("/selected", "there is no such call")
	}
	if r := s.Range; r != nil && (!isSide(r.Side) || !r.Span.sound() || !r.Across.sound()) {
		return invalidf("/range", "want a side, a start and a later end")
	}
	return nil
}

func isSide(s string) bool { return s == "a" || s == "b" }

// sound reports whether a span is one: nothing is if it ends before it starts.
func (s Span) sound() bool {
	return s.Start <= s.End && !math.IsInf(s.Start, 0) && !math.IsInf(s.End, 0)
}

func (s *Session) checkLook() error {
	l := &s.Look
	for _, w := range []struct {
		at    jsontext.Pointer
		word  string
		known []string
	}{{"/lock", s.Lock, append(Locks, "")}, {"/look/shape", l.Shape, Shapes},
		{"/look/colour", l.Colour, Colours}, {"/look/viewpoint", l.Viewpoint, []string{"", "a", "b"}}} {
		if !slices.Contains(w.known, w.word) {
			return invalidf(w.at, "want %s", strings.Join(slices.DeleteFunc(slices.Clone(w.known),
				func(k string) bool { return k == "" }), ", "))
		}
	}
	for side, at := range []jsontext.Pointer{"/focus/a", "/focus/b"} {
		if !s.Focus.On(side).sound() {
			return invalidf(at, "it ends before it starts")
		}
	}
	if l.Tau < 0 || l.Tau > 99 {
		return invalidf("/look/tau", "want a number from 0 to 99")
	}
	return nil
}

func (s *Session) checkPanes() error {
	switch n := len(s.Panes); {
	case n < 1 || n > mostPanes:
		return invalidf("/panes", "want 1 to %d panes, not %d", mostPanes, n)
	case s.Active < 0 || s.Active >= n:
		return invalidf("/active", "there is no pane %d", s.Active)
	case s.Layout == nil:
		return invalidf("/layout", "want a layout")
	}
	for i, p := range s.Panes {
		if p.Virtual != nil && !p.Virtual.sound() {
			return invalidf(item("/panes", i)+"/virtual", "it ends before it starts")
		}
		for _, value := range p.Own {
			if depthOf(value) > deepestOwn {
				return invalidf(item("/panes", i)+"/own", "a value in it is too deep")
			}
		}
	}
	seen := make([]bool, len(s.Panes))
	if err := s.Layout.check("/layout", seen, 0); err != nil {
		return err
	}
	if k := slices.Index(seen, false); k >= 0 {
		return invalidf("/layout", "pane %d has no place", k)
	}
	return nil
}

// depthOf returns how many lists and objects of a value lie in each other.
func depthOf(value jsontext.Value) (deepest int) {
	d := jsontext.NewDecoder(bytes.NewReader(value))
	for {
		if _, err := d.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, d.StackDepth())
	}
}

// check checks that each pane has one place.
func (l *Split) check(at jsontext.Pointer, seen []bool, depth int) error {
	switch {
	case depth > deepest:
		return invalidf(at, "the layout is too deep")
	case len(l.Parts) == 0 && (l.Pane < 0 || l.Pane >= len(seen) || seen[l.Pane]):
		return invalidf(at, "there is no pane %d, or it has a place already", l.Pane)
	case len(l.Parts) == 0:
		seen[l.Pane] = true
		return nil
	case len(l.Parts) != 2 || l.Parts[0] == nil || l.Parts[1] == nil:
		return invalidf(at+"/parts", "want two parts")
	case !(l.Share > 0 && l.Share < 1):
		return invalidf(at+"/share", "want a share between 0 and 1")
	}
	for i, p := range l.Parts {
		if err := p.check(item(at+"/parts", i), seen, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// item points to an item of a list.
func item(list jsontext.Pointer, i int) jsontext.Pointer {
	return list + jsontext.Pointer(fmt.Sprintf("/%d", i))
}
