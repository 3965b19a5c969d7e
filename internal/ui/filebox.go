package ui

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"gioui.org/font"
	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/op"
	"gioui.org/unit"
	"gioui.org/widget"

	"diptych/internal/geom"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/ui/kit"
)

// fileBox is the program's own file chooser, for desktops without a portal.
type fileBox struct {
	ask     ask
	dir     string        // the folder that is listed
	from    string        // the folder last entered, where relative paths begin
	lost    bool          // the folder of the path that is typed cannot be listed
	path    widget.Editor // what is typed: a folder, a file or the beginning of a name
	list    widget.List
	entries []entry
	at      int
	problem string
	replace string           // the existing file that the user was told of
	take    widget.Clickable // opens the folder itself, as for uftrace directories
}

type entry struct {
	name  string
	dir   bool
	size  int64
	click widget.Clickable
}

// ask is a question for a file or a folder.
type ask struct {
	title string
	of    asked
	side  pair.Side // that a trace is for
	name  string    // proposed for a file that is to be written
	use   func(path string)
}

// asked says what is asked for.
type asked uint8

const (
	forTrace  asked = iota // a file, or a folder, as of uftrace, OTF2 or LTTng
	forFile                // a file only
	forFolder              // a folder only
	forTarget              // a file to be written
)

// chooseTraceFolder lets the user pick a folder that is a trace, as uftrace writes it: a desktop's
// dialog for files goes into folders and cannot return them.
func (a *App) chooseTraceFolder(side pair.Side) {
	a.chooseFolder("Open a folder as trace "+side.String(),
		func(dir string) { a.S.Open(side, dir, a.Load) })
}

// choice is what came of the desktop's dialog.
type choice struct {
	ask
	path string
	err  error
}

// askFor lets the user answer in the desktop's own dialog where there is one.
func (a *App) askFor(q ask) {
	go func() {
		c := choice{ask: q}
		switch q.of {
		case forFolder:
			c.path, c.err = host.ChooseFolder(q.title)
		case forTarget:
			c.path, c.err = host.ChooseTarget(q.title, q.name)
		default:
			c.path, c.err = host.ChooseFile(q.title)
		}
		a.choices <- c
		host.Wake()
	}()
}

// choose lets the user pick a trace for side, or a session instead of both.
func (a *App) choose(side pair.Side) {
	a.askFor(ask{title: "Open trace " + side.String(), of: forTrace, side: side,
		use: func(path string) { a.open(side, path) }})
}

// chooseFolder lets the user pick a folder.
func (a *App) chooseFolder(title string, use func(dir string)) {
	a.askFor(ask{title: title, of: forFolder, use: use})
}

// takeChoices takes what the desktop's dialog answered, and shows the program's own chooser if
// there is none.
func (a *App) takeChoices() {
	select {
	case c := <-a.choices:
		switch {
		case errors.Is(c.err, host.ErrNoDialog):
			a.overlay.files.open(c.ask)
			a.overlay.show(filesPage)
		case c.path != "":
			c.use(c.path)
		}
	default:
	}
}

// open lists the folder last used.
func (f *fileBox) open(q ask) {
	f.ask, f.replace = q, ""
	if f.dir == "" {
		f.dir, _ = os.Getwd()
	}
	f.enter(f.dir)
	if q.of == forTarget {
		f.propose(filepath.Join(f.dir, q.name))
	}
}

// propose shows the path of a file to be written, selected: what is typed takes its place.
func (f *fileBox) propose(path string) {
	f.path.SetText(path)
	f.path.SetCaret(f.path.Len(), 0)
}

// enter lists a folder, and clears what is typed.
func (f *fileBox) enter(dir string) {
	if f.read(dir) {
		f.from = f.dir
		f.path.SetText("")
	}
}

// resolve returns the path that is meant by what is typed.
func (f *fileBox) resolve(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"+string(filepath.Separator)); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(f.from, path)
}

// follow lists the folder of the path that is typed.
func (f *fileBox) follow() {
	dir, _ := filepath.Split(f.path.Text())
	if dir = f.resolve(dir); dir == f.dir {
		f.at, f.problem, f.lost = 0, "", false
	} else {
		f.lost = !f.read(dir)
	}
}

// read lists a folder and reports whether that is possible.
func (f *fileBox) read(dir string) bool {
	list, err := os.ReadDir(dir)
	if err != nil {
		f.problem = err.Error()
		return false
	}
	f.dir, f.problem, f.lost, f.at = filepath.Clean(dir), "", false, 0
	f.entries = []entry{}
	if parent := filepath.Dir(f.dir); parent != f.dir {
		f.entries = append(f.entries, entry{name: "..", dir: true})
	}
	for _, e := range list {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		st, err := os.Stat(filepath.Join(f.dir, e.Name()))
		if err != nil || f.ask.of == forFolder && !st.IsDir() {
			continue
		}
		f.entries = append(f.entries, entry{name: e.Name(), dir: st.IsDir(), size: st.Size()})
	}
	sort.SliceStable(f.entries, func(i, j int) bool { return f.entries[i].dir && !f.entries[j].dir })
	return true
}

func (f *fileBox) layout(a *App, gtx layout.Context) layout.Dimensions {
	f.path.SingleLine, f.path.Submit = true, true
	if a.overlay.enters {
		gtx.Execute(key.FocusCmd{Tag: &f.path})
	}
	kit.StepKeys(gtx, &f.path, &f.list, &f.at, len(f.matching()))
	f.input(a, gtx)
	shown := f.matching()
	note := f.dir
	if f.problem != "" {
		note = f.problem
	}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			ink := kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium}
			if f.ask.of != forTrace {
				return a.kit.Label(gtx, f.ask.title, ink)
			}
			return a.kit.Sided(gtx, f.ask.side, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, "Open a trace file or folder", ink)
			})
		}),
		layout.Rigid(layout.Spacer{Height: 10}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Field(gtx, &f.path, "Type a path or part of a name", "Path")
		}),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return layout.Inset{Top: 8, Bottom: 6}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
				return layout.Flex{Alignment: layout.Middle}.Layout(gtx,
					kit.Wide(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, note, a.kit.Faint())
					}),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions { return f.takes(a, gtx) }))
			})
		}),
		layout.Flexed(1, func(gtx layout.Context) layout.Dimensions {
			return a.kit.Rows(gtx, &f.list, len(shown), func(gtx layout.Context, i int) layout.Dimensions {
				gtx.Constraints.Min.X = gtx.Constraints.Max.X
				return f.row(a, gtx, &f.entries[shown[i]], i == f.at)
			})
		}))
}

// takes is the button that ends the question with the folder, or with the name of a new file.
func (f *fileBox) takes(a *App, gtx layout.Context) layout.Dimensions {
	switch f.ask.of {
	case forFile:
		return layout.Dimensions{}
	case forTarget:
		return a.kit.Button(gtx, &f.take, "save", "Save to this file", true)
	}
	return a.kit.Button(gtx, &f.take, "open this folder", "Open this folder", false)
}

// matching returns the entries whose name contains the name that is typed; that of a file to be
// written is no search.
func (f *fileBox) matching() []int {
	if f.lost {
		return nil
	}
	_, typed := filepath.Split(strings.ToLower(f.path.Text()))
	if f.ask.of == forTarget {
		typed = ""
	}
	var out []int
	for i := range f.entries {
		if strings.Contains(strings.ToLower(f.entries[i].name), typed) {
			out = append(out, i)
		}
	}
	f.at = max(0, min(f.at, len(out)-1))
	return out
}

func (f *fileBox) input(a *App, gtx layout.Context) {
	for {
		e, ok := f.path.Update(gtx)
		if !ok {
			break
		}
		switch e.(type) {
		case widget.ChangeEvent:
			f.follow()
		case widget.SubmitEvent:
			f.submit(a, gtx)
		}
	}
	if f.take.Clicked(gtx) {
		if f.ask.of == forTarget {
			f.save(a)
		} else {
			f.pick(a, f.dir)
		}
	}
	for i := range f.entries {
		if f.entries[i].click.Clicked(gtx) {
			f.choose(a, &f.entries[i])
			gtx.Execute(op.InvalidateCmd{})
			return
		}
	}
}

// submit opens the path that is typed, or the entry that the user has gone to.
func (f *fileBox) submit(a *App, gtx layout.Context) {
	if f.ask.of == forTarget {
		f.save(a)
		return
	}
	m := f.matching()
	if typed := f.path.Text(); f.at == 0 && strings.ContainsRune(typed, filepath.Separator) {
		path := f.resolve(typed)
		switch st, err := os.Stat(path); {
		case err == nil && st.IsDir():
			f.enter(path)
			return
		case err == nil && f.ask.of != forFolder:
			f.pick(a, path)
			return
		case err != nil && len(m) == 0:
			f.problem = err.Error()
		}
	}
	if len(m) > 0 {
		f.choose(a, &f.entries[m[f.at]])
	}
}

// save takes the name that is typed for a file to be written. One that exists is told first.
func (f *fileBox) save(a *App) {
	path := f.path.Text()
	if path == "" {
		return
	}
	path = f.resolve(path)
	st, err := os.Stat(path)
	switch {
	case err == nil && st.IsDir():
		f.enter(path)
		f.propose(filepath.Join(f.dir, f.ask.name))
	case err == nil && f.replace != path:
		f.problem, f.replace = "It exists already: save once more to replace it.", path
	default:
		f.pick(a, path)
	}
}

func (f *fileBox) choose(a *App, e *entry) {
	path := filepath.Join(f.dir, e.name)
	switch {
	case e.dir:
		f.enter(path)
		if f.ask.of == forTarget {
			f.propose(filepath.Join(f.dir, f.ask.name))
		}
	case f.ask.of == forTarget:
		f.propose(path)
	default:
		f.pick(a, path)
	}
}

func (f *fileBox) pick(a *App, path string) {
	a.overlay.show(noPage)
	f.ask.use(path)
}

func (f *fileBox) row(a *App, gtx layout.Context, e *entry, on bool) layout.Dimensions {
	return a.kit.Pressable(gtx, &e.click, "Open "+e.name, on, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 8, Right: 12, Top: 4, Bottom: 4}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				name, size := e.name, geom.FormatValue(float64(e.size), "bytes")
				if e.dir {
					name, size = e.name+string(filepath.Separator), ""
				}
				return layout.Flex{}.Layout(gtx,
					kit.Wide(func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, name, a.kit.Text())
					}),
					a.kit.Cell(unit.Dp(80), size, kit.Right(a.kit.Faint())))
			})
	})
}
