package ui

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"gioui.org/layout"

	"diptych/internal/escape"
	"diptych/internal/host"
	"diptych/internal/scene/svg"
	"diptych/internal/ui/kit"
)

// The picture that the window shows leaves it as a file or through the clipboard.

// savingPicture asks for a file with that suffix, which use then writes.
func (a *App) savingPicture(title, suffix string, use func(path string)) ask {
	name := a.pairName()
	if name == "" {
		name = "diptych"
	}
	return ask{title: title, of: forTarget, name: name + suffix, use: func(path string) {
		if filepath.Ext(path) == "" {
			path += suffix
		}
		use(path)
	}}
}

// savingDrawing saves the view in the active pane as SVG.
func (a *App) savingDrawing() ask {
	return a.savingPicture("Save the view as SVG", ".svg", func(path string) {
		a.S.SaveFile(path, a.drawn().Write)
	})
}

// copyDrawing puts the view in the active pane on the clipboard: the text of an SVG file.
func (a *App) copyDrawing(gtx layout.Context) {
	var text strings.Builder
	if err := a.drawn().Write(&text); err != nil {
		a.S.Say("Not copied: " + escape.Line(err.Error()))
		return
	}
	kit.Copy(gtx, text.String())
	a.S.Say("The view is copied as SVG")
}

// drawn is the view in the active pane.
func (a *App) drawn() *svg.Picture {
	c := a.contentOf()
	var area image.Rectangle
	for _, p := range c.shown.Scenes() {
		area = area.Union(p.Area)
	}
	return drawing(comparison(a.S.State()), a.kit.Pal.Pane, c.shown.Scenes(), area)
}

// ofPane and ofWindow say which part of the window a picture shows.
func (a *App) ofPane(image.Rectangle) image.Rectangle { return a.contentOf().area }
func ofWindow(all image.Rectangle) image.Rectangle    { return all }

// savingPNG saves a part of the window as it is seen.
func (a *App) savingPNG(title string, of func(all image.Rectangle) image.Rectangle) ask {
	return a.savingPicture(title, ".png", func(path string) {
		a.shoot(of, "Not saved", func(m image.Image) {
			a.S.SaveFile(path, func(w io.Writer) error { return png.Encode(w, m) })
		})
	})
}

// copyPNG puts a part of the window on the clipboard as it is seen.
func (a *App) copyPNG(of func(all image.Rectangle) image.Rectangle) {
	a.shoot(of, "Not copied", func(m image.Image) {
		a.S.HandOver(func(ctx context.Context) error {
			var b bytes.Buffer
			if err := png.Encode(&b, m); err != nil {
				return err
			}
			return host.CopyPNG(ctx, &b)
		})
	})
}

// shoot takes a picture of the part of the window that of returns.
func (a *App) shoot(of func(all image.Rectangle) image.Rectangle, failed string, use func(image.Image)) {
	a.frame.Window.Shoot(func(m *image.RGBA, err error) {
		if err != nil {
			a.S.Say(failed + ": " + escape.Line(err.Error()))
			return
		}
		use(m.SubImage(of(m.Rect)))
	})
}
