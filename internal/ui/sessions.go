package ui

import (
	"path/filepath"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// open opens a trace for a side, or a session for both.
func (a *App) open(side pair.Side, path string) {
	if strings.EqualFold(filepath.Ext(path), saved.Suffix) {
		a.OpenSession(path)
		return
	}
	a.S.Open(side, path, a.Load)
}

// chooseSession lets the user pick a session.
func (a *App) chooseSession() {
	a.askFor(ask{title: "Open a session", of: forFile, use: a.OpenSession})
}

// OpenSession opens a session's file. It asks the user for traces that are not where the file says.
func (a *App) OpenSession(path string) {
	f, err := saved.ReadSession(path)
	if err != nil {
		a.failSession(err.Error())
		return
	}
	a.Resume(f, path)
}

// Resume shows a session that was read from a file. It asks for traces that are missing.
func (a *App) Resume(f *saved.Session, path string) {
	if missing := f.Missing(); len(missing) > 0 {
		a.overlay.sought = soughtBox{file: f, path: path, missing: missing,
			choose: make([]widget.Clickable, len(missing))}
		a.overlay.show(soughtPage)
		return
	}
	a.Flush()
	k := &a.keeper
	k.file, k.trouble = path, ""
	if path == k.last {
		k.file = "" // it was never given a name
	}
	a.setAside()
	load, err := a.S.Resume(f, k.before.options)
	if err != nil {
		a.failSession(escape.Line(path) + ": " + err.Error())
		return
	}
	a.Load = load
}

// failSession says why a session or a pair cannot be opened: where nothing is open in the middle of
// the window, too, until something is.
func (a *App) failSession(why string) {
	a.keeper.trouble = escape.Line(why)
	a.S.Say(a.keeper.trouble)
}

// continueLast opens the session that the last window ended with.
func (a *App) continueLast() {
	if a.keeper.last != "" {
		a.OpenSession(a.keeper.last)
	}
}

// closeTraces closes the traces. The session can be continued.
func (a *App) closeTraces() {
	a.Flush()
	k := &a.keeper
	if path, ok := k.home.LastSession(); ok {
		k.last = path
	}
	k.file, k.opened, k.trouble = "", saved.Recent{}, ""
	a.S.Close()
	a.batch.visited = visited{}
	if k.before != nil {
		a.Load, a.S.Rules, a.S.Strict = k.before.options, k.before.rules, k.before.strict
		k.before = nil
	}
}

// saveSession writes the session to its file, or asks for one.
func (a *App) saveSession() {
	if a.keeper.file == "" {
		a.saveAs()
		return
	}
	a.saveTo(a.keeper.file)
}

// saveAs asks for a file to write the session to.
func (a *App) saveAs() { a.askFor(a.saving()) }

// saving is that question.
func (a *App) saving() ask {
	return ask{title: "Save the session", of: forTarget, use: a.saveTo, name: a.pairName() + saved.Suffix}
}

// pairName is the beginning of a name for a file about what is open: those of the traces.
func (a *App) pairName() string { return strings.Join(traceNames(a.S.State()), "-") }

// traceNames returns the names of the traces that are open.
func traceNames(st *session.State) (names []string) {
	for i := range st.Sides {
		if st.Sides[i].Trace != nil {
			names = append(names, st.Sides[i].Name)
		}
	}
	return names
}

func (a *App) saveTo(path string) {
	if filepath.Ext(path) == "" {
		path += saved.Suffix
	}
	f, err := a.S.Saved(a.Load)
	if err == nil {
		err = f.Write(path)
	}
	if err != nil {
		a.S.Say("Not saved: " + escape.Line(err.Error()))
		return
	}
	a.keeper.file = path
	a.S.Say("Saved to " + escape.Line(path))
}

// soughtBox asks where the files are that a session needs.
type soughtBox struct {
	file    *saved.Session
	path    string
	missing []saved.Missing
	choose  []widget.Clickable
	cancel  widget.Clickable
}

func (b *soughtBox) layout(a *App, gtx layout.Context) layout.Dimensions {
	for i := range b.missing {
		if b.choose[i].Clicked(gtx) {
			a.askFor(b.question(a, b.missing[i]))
		}
	}
	if b.cancel.Clicked(gtx) {
		a.overlay.show(noPage)
	}
	title := kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium}
	rows := []layout.FlexChild{
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, "This session needs "+kit.Plural(len(b.missing), "file")+
				" that cannot be found", title)
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, escape.Line(b.path), a.kit.Faint())
		}),
		layout.Rigid(layout.Spacer{Height: 14}.Layout),
	}
	for i := range b.missing {
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions { return b.row(a, gtx, i) }))
	}
	rows = append(rows, layout.Flexed(1, layout.Spacer{}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.E.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &b.cancel, "cancel", "Do not open the session", false)
			})
		}))
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx, rows...)
}

// question asks for a file that is sought.
func (b *soughtBox) question(a *App, m saved.Missing) ask {
	q := ask{title: "Where is " + m.What + " now?", of: forFile,
		use: func(path string) { b.found(a, m, path) }}
	switch m.What {
	case "trace A":
		q.of, q.side = forTrace, pair.A
	case "trace B":
		q.of, q.side = forTrace, pair.B
	}
	return q
}

// row names a file that is sought, and why it cannot be opened.
func (b *soughtBox) row(a *App, gtx layout.Context, i int) layout.Dimensions {
	m := b.missing[i]
	path := a.kit.Text()
	path.Lines = 2
	return layout.Inset{Bottom: 12}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
			kit.Wide(func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, firstUpper(m.What)+": "+m.Why.Error(), a.kit.Faint())
					}),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, escape.Line(*m.Path), path)
					}))
			}),
			kit.Space(12),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &b.choose[i], "choose…", "Choose "+m.What, true)
			}))
	})
}

func firstUpper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// found takes the answer for one file and goes on with the next, or with the session.
func (b *soughtBox) found(a *App, m saved.Missing, path string) {
	b.file.Move(m, path)
	a.overlay.show(noPage)
	a.Resume(b.file, b.path)
}

// spot returns where a note is written that the user asks for by key: at the selected call, at the
// start of the selected time, or in the middle of what the side under the pointer shows of its
// trace, since beside a longer one there is room after its end.
func (a *App) spot(st *session.State) session.Spot {
	switch side := a.acting(st); {
	case st.Selected.OK:
		return session.SpotOf(st.Selected)
	case st.Range.OK:
		return session.Spot{Side: st.Range.Side, At: st.Range.Span.Start}
	default:
		return session.Spot{Side: side, At: st.Sides[side].Seen().Mid()}
	}
}

// stepNote shows the note after (or, with −1, before) the one at the selected call.
func (a *App) stepNote(st *session.State, step int) {
	all := st.Notes.All()
	at := -1
	if step < 0 {
		at = 0
	}
	for i := range all {
		if all[i].Number == a.overlay.note.stepped {
			at = i
		}
	}
	next := all[((at+step)%len(all)+len(all))%len(all)]
	a.overlay.note.stepped = next.Number
	a.S.ShowNote(next)
}
