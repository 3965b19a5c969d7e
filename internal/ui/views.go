package ui

import (
	"fmt"
	"slices"
	"strings"

	"diptych/internal/session"
	"diptych/internal/ui/aggregate"
	"diptych/internal/ui/aligned"
	"diptych/internal/ui/dock"
	"diptych/internal/ui/matches"
	"diptych/internal/ui/structure"
	"diptych/internal/ui/threads"
	"diptych/internal/ui/view"
)

// views is the table of views, in the order of their tabs. A new view is a folder below this one
// and a row here; ARCHITECTURE.md, "How to add a view", lists the steps.
func views() []view.Row {
	return []view.Row{matches.Row(), aligned.Row(), threads.Row(), structure.Row(), aggregate.Row()}
}

// register makes views known to a session, with what the dock wants of it beside each of them.
func register(s *session.Session, rows []view.Row) {
	for _, r := range rows {
		r.Wants = append(slices.Clone(r.Wants), dock.Wants()...)
		s.Register(r.Kind)
	}
}

// Register makes the views of the table known to a session. New and NewPicture do so too.
func Register(s *session.Session) { register(s, views()) }

// named returns the row that has a name on the command line.
func named(rows []view.Row, name string) (*view.Row, bool) {
	for i := range rows {
		if r := &rows[i]; string(r.View) == name || slices.Contains(r.Aliases, name) {
			return r, true
		}
	}
	return nil, false
}

// ViewNames lists the names of the views as the command line takes them.
func ViewNames() []string {
	var names []string
	for _, r := range views() {
		names = append(names, string(r.View))
	}
	return names
}

// ParsePanes reads which panes there are to be: the names of views, joined by + where one stands
// beside the other and by / where one stands below it. + binds more tightly, so that
//
//	matches+threads/alignment   are two panes above and one below them
//	matches/threads             are two panes, one below the other
//
// The leaves of the layout are numbers into the views.
func ParsePanes(spec string) (*session.Split, []session.View, error) {
	return parsePanes(views(), spec)
}

func parsePanes(rows []view.Row, spec string) (*session.Split, []session.View, error) {
	var shown []session.View
	var lines []*session.Split
	for _, line := range strings.Split(spec, "/") {
		var parts []*session.Split
		for _, name := range strings.Split(line, "+") {
			r, ok := named(rows, name)
			if !ok {
				return nil, nil, fmt.Errorf("there is no view %q", name)
			}
			parts = append(parts, &session.Split{Pane: session.PaneID(len(shown))})
			shown = append(shown, r.View)
		}
		lines = append(lines, joined(parts, false))
	}
	if len(shown) > session.MostPanes {
		return nil, nil, fmt.Errorf("%d panes: there can be at most %d", len(shown), session.MostPanes)
	}
	return joined(lines, true), shown, nil
}

// joined returns parts of equal size beside or below each other.
func joined(parts []*session.Split, down bool) *session.Split {
	if len(parts) == 1 {
		return parts[0]
	}
	return &session.Split{Down: down, Share: 1 / float32(len(parts)),
		Parts: [2]*session.Split{parts[0], joined(parts[1:], down)}}
}
