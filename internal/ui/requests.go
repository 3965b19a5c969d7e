package ui

import (
	"fmt"
	"strconv"
	"strings"

	"diptych/internal/command"
	"diptych/internal/escape"
	"diptych/internal/geom"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// A file of distributed traces holds many, of which a side shows one. The palette has the others.

// mostOffered is how many requests of a file the palette offers, the longest first.
const mostOffered = 100

// requestPrefix begins the ids of commands that show another request of a side's file.
const requestPrefix = "request-"

// requestCommands are those commands.
func requestCommands(st *session.State) (all []*command.Command) {
	for side := range st.Sides {
		if st.Sides[side].Request() == "" {
			continue
		}
		list := st.Sides[side].Trace.Requests
		for k := range list[:min(len(list), mostOffered)] {
			if r := &list[k]; !r.Shown {
				all = append(all, &command.Command{ID: command.ID(fmt.Sprint(requestPrefix, side, "-", k)),
					Title: "Show in " + pair.Side(side).String() + ": " + requestText(r)})
			}
		}
	}
	return all
}

// requestText names a request by its root, how long it took, and its id.
func requestText(r *trace.Request) string {
	return escape.Line(fmt.Sprintf("%s: %s, %s, trace %s", r.Service, r.Operation,
		geom.FormatValue(float64(r.Duration), string(trace.Nanoseconds)), r.ID))
}

// showRequest carries out such a command; it reports whether it is one.
func (a *App) showRequest(id command.ID) bool {
	rest, ok := strings.CutPrefix(string(id), requestPrefix)
	side, number, found := strings.Cut(rest, "-")
	k, err := strconv.Atoi(number)
	if !ok || !found || err != nil {
		return false
	}
	s := pair.A
	if side == "1" {
		s = pair.B
	}
	sd := &a.S.State().Sides[s]
	if sd.Trace == nil || k >= len(sd.Trace.Requests) {
		return true // the file was closed meanwhile
	}
	o := a.Load
	o.Trace = sd.Trace.Requests[k].ID
	a.S.Open(s, sd.Path, o)
	return true
}
