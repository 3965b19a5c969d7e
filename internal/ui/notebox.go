package ui

import (
	"fmt"

	"gioui.org/font"
	"gioui.org/io/key"
	"gioui.org/layout"
	"gioui.org/widget"

	"diptych/internal/session"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// noteBox lets the text of a note be written.
type noteBox struct {
	at      session.Spot
	text    widget.Editor
	save    widget.Clickable
	remove  widget.Clickable
	stepped int // the number of the note that was gone to last
}

// WriteNote implements view.Window.
func (a *App) WriteNote(at session.Spot) {
	b := &a.overlay.note
	b.at = at
	n, _ := a.S.State().Notes.At(at)
	b.text.SetText(n.Text)
	b.text.SetCaret(b.text.Len(), b.text.Len())
	a.overlay.show(notePage)
}

func (b *noteBox) layout(a *App, gtx layout.Context, st *session.State) layout.Dimensions {
	b.text.SingleLine, b.text.Submit = true, true
	if a.overlay.enters {
		gtx.Execute(key.FocusCmd{Tag: &b.text})
	}
	n, known := st.Notes.At(b.at)
	if b.input(a, gtx, n) {
		return layout.Dimensions{}
	}
	title := "New note"
	if known {
		title = fmt.Sprintf("Note %d", n.Number)
	}
	ink := kit.Style{Size: kit.Large, Color: a.kit.Pal.Text, Weight: font.Medium}
	return layout.Flex{Axis: layout.Vertical}.Layout(gtx,
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Sided(gtx, b.at.Side, func(gtx layout.Context) layout.Dimensions {
				return a.kit.Label(gtx, title, ink)
			})
		}),
		layout.Rigid(layout.Spacer{Height: 4}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Label(gtx, words.SpotLine(st, b.at), a.kit.Faint())
		}),
		layout.Rigid(layout.Spacer{Height: 10}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			return a.kit.Field(gtx, &b.text, "What is to be noted here", "Text of the note")
		}),
		layout.Rigid(layout.Spacer{Height: 10}.Layout),
		layout.Rigid(func(gtx layout.Context) layout.Dimensions {
			buttons := []layout.FlexChild{layout.Rigid(func(gtx layout.Context) layout.Dimensions {
				return a.kit.Button(gtx, &b.save, "save", "Save the note", true)
			})}
			if known {
				buttons = append(buttons, kit.Space(8), layout.Rigid(func(gtx layout.Context) layout.Dimensions {
					return a.kit.Button(gtx, &b.remove, "delete", "Delete the note", false)
				}))
			}
			return layout.Flex{}.Layout(gtx, buttons...)
		}))
}

// input takes what is typed and clicked; it reports whether the box is closed now.
func (b *noteBox) input(a *App, gtx layout.Context, n session.Note) (closed bool) {
	save, remove := b.save.Clicked(gtx), b.remove.Clicked(gtx)
	for {
		e, ok := b.text.Update(gtx)
		if !ok {
			break
		}
		if _, ok := e.(widget.SubmitEvent); ok {
			save = true
		}
	}
	switch {
	case remove:
		a.S.RemoveNote(n.Number)
	case save:
		a.S.Write(b.at, b.text.Text())
	default:
		return false
	}
	a.overlay.show(noPage)
	gtx.Execute(key.FocusCmd{})
	return true
}
