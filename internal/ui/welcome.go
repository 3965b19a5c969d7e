package ui

import (
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gioui.org/font"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/command"
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/traceio"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// welcomeText says what can be opened, four formats a line.
var welcomeText = func() []string {
	lines := []string{"Drop two trace files here, or open them one by one."}
	for some := range slices.Chunk(traceio.Formats(), 4) {
		var titles []string
		for _, f := range some {
			titles = append(titles, f.Title)
		}
		lines = append(lines, strings.Join(titles, ", ")+",")
	}
	return append(lines, "optionally compressed or in an archive. The format is recognised by content.")
}()

// welcome fills the window while nothing is open.
func (a *App) welcome(gtx layout.Context, st *session.State, z zones) {
	r := image.Rect(z.overview.Min.X, z.overview.Min.Y, z.overview.Max.X, z.main.Max.Y)
	a.Card(r)
	kit.At(gtx, r, func(gtx layout.Context) {
		kit.Centred(gtx, func(gtx layout.Context) layout.Dimensions {
			children := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, "Diptych", kit.Style{Size: 22, Color: a.kit.Pal.Text, Weight: font.Medium})
			}), layout.Rigid(layout.Spacer{Height: 12}.Layout)}
			for i, line := range welcomeText {
				ink := a.kit.Faint()
				if i == 0 {
					ink = kit.Style{Size: kit.Large, Color: a.kit.Pal.Text}
				}
				children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return layout.Inset{Bottom: 5}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
						return a.kit.Label(gtx, line, ink)
					})
				}))
			}
			children = append(children, layout.Rigid(layout.Spacer{Height: 14}.Layout), a.opening())
			children = append(children, a.again(gtx)...)
			if a.offer.open {
				children = append(children, layout.Rigid(layout.Spacer{Height: 18}.Layout),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.offer.layout(a, gtx) }))
			}
			for _, j := range a.S.Jobs() {
				children = append(children, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.loadingBar(gtx, j)
				}))
			}
			for _, why := range a.troubles(st) {
				children = append(children, layout.Rigid(layout.Spacer{Height: 10}.Layout),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						gtx.Constraints.Max.X = min(gtx.Constraints.Max.X, gtx.Dp(760))
						return a.kit.Label(gtx, why,
							kit.Style{Size: kit.Normal, Color: a.kit.Pal.Error, Lines: 4})
					}))
			}
			return layout.Flex{Axis: layout.Vertical, Alignment: layout.Middle}.Layout(gtx, children...)
		})
	})
}

// troubles says what could not be opened. If both sides fail for the same reason, such as a file of
// rules, it is said once.
func (a *App) troubles(st *session.State) (all []string) {
	if why := a.keeper.trouble; why != "" {
		all = append(all, why)
	}
	for i := range st.Sides {
		if err := st.Sides[i].Err; err != nil && !slices.Contains(all, err.Error()) {
			all = append(all, err.Error())
		}
	}
	return all
}

// mostShown is how many recent pairs the empty window lists; the palette has all.
const mostShown = 6

// again offers to go on with the last session, and the recent pairs.
func (a *App) again(gtx layout.Context) (rows []layout.FlexChild) {
	k := &a.keeper
	if k.last != "" {
		if k.resume.Clicked(gtx) {
			a.continueLast()
		}
		rows = append(rows, layout.Rigid(layout.Spacer{Height: 12}.Layout),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &k.resume, "Continue the last session",
					a.Command(command.Continue).Title, false)
			}))
	}
	n := min(len(k.recent), mostShown)
	if n == 0 {
		return rows
	}
	for len(k.clicks) < n {
		k.clicks = append(k.clicks, widget.Clickable{})
	}
	rows = append(rows, layout.Rigid(layout.Spacer{Height: 18}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, "Recently opened", a.kit.Caption())
		}), layout.Rigid(layout.Spacer{Height: 4}.Layout))
	for i, x := range slices.Clone(k.recent[:n]) {
		if k.clicks[i].Clicked(gtx) {
			a.reopen(x)
		}
		rows = append(rows, layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.recentRow(gtx, &k.clicks[i], x)
		}))
	}
	return rows
}

// recentRow names a recent pair and the folder that it is in.
func (a *App) recentRow(gtx layout.Context, click *widget.Clickable, x saved.Recent) layout.Dimensions {
	gtx.Constraints.Max.X = min(gtx.Constraints.Max.X, gtx.Dp(620))
	gtx.Constraints.Min.X = gtx.Constraints.Max.X
	name := recentName(x)
	return a.kit.Pressable(gtx, click, "Open "+name, false, func(gtx layout.Context) layout.Dimensions {
		return layout.Inset{Left: 10, Right: 10, Top: 5, Bottom: 5}.Layout(gtx,
			func(gtx layout.Context) layout.Dimensions {
				half := gtx.Constraints.Max.X / 2
				return layout.Flex{Alignment: layout.Middle, Spacing: layout.SpaceBetween}.Layout(gtx,
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						gtx.Constraints.Max.X, gtx.Constraints.Min.X = half, 0
						return a.kit.Label(gtx, a.recentTitle(x, half), a.kit.Text())
					}),
					layout.Rigid(func(gtx layout.Context) layout.Dimensions {
						gtx.Constraints.Max.X, gtx.Constraints.Min.X = half-gtx.Dp(12), 0
						return a.kit.Label(gtx, recentFolder(x), kit.Right(a.kit.Faint()))
					}))
			})
	})
}

// recentTitle names a recent pair within so many px, so that its names can be told apart.
func (a *App) recentTitle(x saved.Recent, room int) string {
	name := recentName(x)
	if a.kit.Width(name, kit.Normal) <= float32(room) || x.Session != "" || x.A == "" || x.B == "" {
		return name
	}
	const between = " | "
	one, two := recentSide(x, pair.A), recentSide(x, pair.B)
	size := float32(a.kit.Sp(kit.Normal))
	share := (float32(room) - a.kit.Width(between, kit.Normal)) / 2
	return typeface.Differing(one, two, share, size, true) + between + typeface.Differing(two, one, share, size, true)
}

// recentFolder returns the folder of a recent pair, which is A's where the files lie apart.
func recentFolder(x saved.Recent) string {
	for _, path := range []string{x.Session, x.A, x.B} {
		if path != "" {
			return escape.Line(shortened(filepath.Dir(path)))
		}
	}
	return ""
}

// shortened writes the user's home directory as ~.
func shortened(dir string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return dir
	}
	if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == filepath.Separator) {
		return "~" + rest
	}
	return dir
}

// loadingBar shows a job's progress in the middle of the empty window.
func (a *App) loadingBar(gtx layout.Context, j *session.Job) layout.Dimensions {
	return layout.Inset{Top: 16}.Layout(gtx, func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Axis: layout.Vertical, Alignment: layout.Middle}.Layout(gtx,
			layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, words.JobText(j), a.kit.Faint())
			}),
			layout.Rigid(layout.Spacer{Height: 6}.Layout),
			layout.Rigid(func(gtx layout.Context) layout.Dimensions { return a.kit.Progress(gtx, j.Progress(), 280) }))
	})
}

// opening offers, for each side, a button for a file and one for a folder.
func (a *App) opening() layout.FlexChild {
	row := func(buttons *[2]widget.Clickable, what string, ids [2]command.ID, on bool) layout.FlexChild {
		return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			var row []layout.FlexChild
			for i, side := range []pair.Side{pair.A, pair.B} {
				if buttons[i].Clicked(gtx) {
					a.Perform(gtx, ids[i])
				}
				row = append(row, kit.Space(6), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					name := "Open " + what + " " + side.String()
					return a.kit.Button(gtx, &buttons[i], name+"…", name, on)
				}), kit.Space(6))
			}
			return layout.Flex{}.Layout(gtx, row...)
		})
	}
	return layout.Rigid(func(gtx layout.Context) layout.Dimensions {
		return layout.Flex{Axis: layout.Vertical, Alignment: layout.Middle}.Layout(gtx,
			row(&a.openers, "trace", [2]command.ID{command.OpenA, command.OpenB}, true),
			layout.Rigid(layout.Spacer{Height: 6}.Layout),
			row(&a.folderOpeners, "a folder as", [2]command.ID{command.OpenFolderA, command.OpenFolderB}, false))
	})
}
