package ui

import (
	"bytes"
	"path/filepath"
	"strconv"
	"time"

	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/traceio/input"
)

// keeper keeps what outlives the window: its settings, the pairs that were opened, and the session
// as it is, so that it can be continued. The zero keeper keeps nothing.
type keeper struct {
	home saved.Home

	settings saved.Settings // as they are in the file
	due      time.Time      // when changed settings are written; zero if they are not changed

	rev     uint64    // of the state that rests
	rest    time.Time // when it has rested for long enough to be written
	written []byte    // the last session as it is in the file
	told    bool      // that nothing can be kept

	recent  []saved.Recent
	clicks  []widget.Clickable // on the empty window, by recent
	noted   uint64             // the state of which it is known what is open
	opened  saved.Recent       // the pair that is open, as it was added
	last    string             // the session of the last window, if there is one to continue
	resume  widget.Clickable
	file    string // that the session was opened from or saved to; "" for none
	trouble string // why a session could not be opened
	before  *loading
}

// loading is how traces are loaded and compared where no session says otherwise.
type loading struct {
	options input.Options
	rules   pair.Rules
	strict  bool
}

// setAside keeps how traces are loaded and compared until those are closed that are to be opened
// otherwise now.
func (a *App) setAside() {
	if a.keeper.before == nil {
		a.keeper.before = &loading{a.Load, a.S.Rules, a.S.Strict}
	}
}

// How long settings and the session have to rest before they are written, and how long after that
// could not be done it is tried again. The session waits for its next change.
const settingsRest, sessionRest, settingsRetry = time.Second, 5 * time.Second, time.Minute

// Keep makes the window keep its settings, recent pairs and last session in a home, and begins with
// what is there. It returns the settings, for what is to be known before there is a window.
func (a *App) Keep(h saved.Home) saved.Settings {
	k := &a.keeper
	k.home, a.offer.open = h, h.Fresh()
	x, err := h.Settings()
	a.tell(err)
	k.recent, err = h.Recent()
	a.tell(err)
	if path, ok := h.LastSession(); ok {
		k.last = path
	}
	a.take(x)
	k.settings = a.settings()
	return x
}

// tell says that something cannot be kept, once.
func (a *App) tell(err error) {
	if err != nil && !a.keeper.told {
		a.keeper.told = true
		a.failSession(err.Error())
	}
}

// take brings the window into the state that settings describe.
func (a *App) take(x saved.Settings) {
	a.S.SetDark(x.Dark)
	a.S.SetStyle(func(st *session.Style) { st.ColourBlind = x.ColourBlind })
	a.S.SetStill(x.Still)
	a.S.SetLighter(x.Lighter)
	a.dock.Open = !x.Dock.Closed
	if x.Dock.Tab != "" {
		a.dock.Turn(x.Dock.Tab)
	}
	if x.Dock.Width > 0 {
		a.splits.dock = x.Dock.Width
	}
	if x.Overview > 0 {
		a.splits.overview = x.Overview
	}
	a.keeper.settings = x // window size and scale: the first frame tells
}

// settings describes the window.
func (a *App) settings() saved.Settings {
	st, was := a.S.State(), &a.keeper.settings
	x := saved.Settings{Dark: st.Dark, ColourBlind: st.Style.ColourBlind, Still: st.Still,
		Lighter: st.Lighter, Overview: a.splits.overview, Scale: was.Scale,
		Width: was.Width, Height: was.Height,
		Dock: saved.Dock{Closed: !a.dock.Open, Tab: a.dock.Tab(), Width: a.splits.dock}}
	if w := a.frame.Window; w != nil && !w.FullScreen() {
		x.Width = int(float32(a.frame.Size.X)/a.kit.Px(1) + .5)
		x.Height = int(float32(a.frame.Size.Y)/a.kit.Px(1) + .5)
		if w.Rescaled() {
			x.Scale = w.FixedScale()
		}
	}
	return x
}

// keep writes what has changed and has rested since.
func (a *App) keep(gtx layout.Context) {
	k := &a.keeper
	a.noteOpened()
	if !k.home.Keeps() {
		return
	}
	switch now := a.settings(); {
	case now == k.settings:
		k.due = time.Time{}
	case k.due.IsZero():
		k.due = gtx.Now.Add(settingsRest)
	case !gtx.Now.Before(k.due) && !a.keepSettings():
		k.due = gtx.Now.Add(settingsRetry)
	}
	if rev := a.S.State().Rev; rev != k.rev {
		k.rev, k.rest = rev, gtx.Now.Add(sessionRest)
	} else if !k.rest.IsZero() && !gtx.Now.Before(k.rest) {
		a.keepSession()
	}
	for _, at := range []time.Time{k.due, k.rest} {
		if !at.IsZero() {
			gtx.Execute(op.InvalidateCmd{At: at})
		}
	}
}

// Flush writes what has changed at once, before the window ends.
func (a *App) Flush() {
	if a.keeper.home.Keeps() {
		a.keepSettings()
		a.keepSession()
	}
}

// keepSettings reports whether the settings are in the file.
func (a *App) keepSettings() bool {
	k := &a.keeper
	if now := a.settings(); now != k.settings {
		if err := k.home.KeepSettings(now); err != nil {
			a.tell(err)
			return false
		}
		k.settings = now
	}
	k.due = time.Time{}
	return true
}

// keepSession writes the session that can be continued.
func (a *App) keepSession() {
	k := &a.keeper
	k.rest = time.Time{}
	path, _ := k.home.LastSession()
	if !a.S.State().Any() || a.S.Resuming() || path == "" {
		return
	}
	f, err := a.S.Saved(a.Load)
	if err != nil {
		return // what was read from standard input cannot be opened again
	}
	data, err := f.Encode(path)
	if err == nil && !bytes.Equal(data, k.written) {
		if err = k.home.KeepLastSession(data); err == nil {
			k.written = data
		}
	}
	a.tell(err)
}

// noteOpened adds what is open to the recent pairs.
func (a *App) noteOpened() {
	k, st := &a.keeper, a.S.State()
	if st.Rev == k.noted {
		return
	}
	k.noted = st.Rev
	x := saved.Recent{Session: k.file}
	if !st.Any() || st.Loaded(pair.A) != st.Loaded(pair.B) && a.loading() || a.S.Resuming() {
		return
	}
	for side, path := range map[pair.Side]*string{pair.A: &x.A, pair.B: &x.B} {
		*x.Requests.On(int(side)) = st.Sides[side].Request()
		if p := st.Sides[side].Path; session.Unkept(p) != nil {
			return
		} else if p != "" {
			*path, _ = filepath.Abs(p)
		}
	}
	if x == k.opened {
		return
	}
	if k.file != "" && k.opened.Session == k.file && !sameFiles(x, k.opened) {
		k.file, x.Session = "", "" // what is open now is another comparison
	}
	k.opened = x
	if k.home.Keeps() {
		a.tell(k.home.AddRecent(x))
		k.recent, _ = k.home.Recent()
	}
}

// sameFiles reports whether two pairs are of the same files, be the sides exchanged or not.
func sameFiles(x, y saved.Recent) bool {
	swapped := saved.Recent{A: y.B, B: y.A,
		Requests: saved.Both[string]{A: y.Requests.B, B: y.Requests.A}}
	x.Session, y.Session = "", ""
	return x == y || x == swapped
}

// recentPrefix begins the ids of commands that open a recent pair.
const recentPrefix = "recent-"

// commands open the recent pairs.
func (k *keeper) commands() (all []*command.Command) {
	for i, x := range k.recent {
		all = append(all, &command.Command{ID: command.ID(recentPrefix + strconv.Itoa(i)),
			Title: "Open recent: " + recentName(x)})
	}
	return all
}

// recentName names a recent pair.
func recentName(x saved.Recent) string {
	switch {
	case x.Session != "":
		return escape.Line(filepath.Base(x.Session))
	case x.A == "" || x.B == "":
		return escape.Line(session.RequestTitle(x.A+x.B, x.Requests.A+x.Requests.B))
	}
	return recentSide(x, pair.A) + " | " + recentSide(x, pair.B)
}

// recentSide names a side of a recent pair.
func recentSide(x saved.Recent, side pair.Side) string {
	path := [2]string{x.A, x.B}[side]
	return escape.Line(session.RequestTitle(path, *x.Requests.On(int(side))))
}

// openRecent carries out such a command; it reports whether it is one.
func (a *App) openRecent(id command.ID) bool {
	for i, c := range a.keeper.commands() {
		if c.ID == id {
			a.reopen(a.keeper.recent[i])
			return true
		}
	}
	return false
}

// reopen opens a recent pair.
func (a *App) reopen(x saved.Recent) {
	if x.Session != "" {
		a.OpenSession(x.Session)
		return
	}
	if lost := lostOf(x); lost != "" {
		a.failSession(lost)
		return
	}
	a.closeTraces()
	for side, path := range []string{x.A, x.B} {
		if path != "" {
			o := a.Load
			o.Trace = *x.Requests.On(side)
			a.S.Open(pair.Side(side), path, o)
		}
	}
}

// lostOf says which file of a recent pair is gone; "" if none is.
func lostOf(x saved.Recent) string {
	for _, path := range []string{x.A, x.B} {
		if path != "" {
			if err := saved.Lost(path); err != nil {
				return path + ": " + err.Error()
			}
		}
	}
	return ""
}
