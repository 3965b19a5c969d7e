package ui

import (
	"image"
	"image/png"
	"io"
	"path/filepath"

	"diptych/internal/escape"
)

// Pictures are saved rather than copied: GLFW puts nothing but text on the clipboard.

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
		c := a.contentOf()
		var area image.Rectangle
		for _, p := range c.shown.Scenes() {
			area = area.Union(p.Area)
		}
		a.S.SaveFile(path, drawing(comparison(a.S.State()), a.kit.Pal.Pane, c.shown.Scenes(), area).Write)
	})
}

// savingPane saves the active pane as it is seen.
func (a *App) savingPane() ask {
	return a.savingPicture("Save the pane as PNG", ".png", func(path string) {
		a.shoot(path, func(image.Rectangle) image.Rectangle { return a.contentOf().area })
	})
}

// savingWindow saves the window as it is seen.
func (a *App) savingWindow() ask {
	return a.savingPicture("Save the window as PNG", ".png", func(path string) {
		a.shoot(path, func(all image.Rectangle) image.Rectangle { return all })
	})
}

// shoot writes the part of the window that of returns.
func (a *App) shoot(path string, of func(all image.Rectangle) image.Rectangle) {
	a.frame.Window.Shoot(func(m *image.RGBA, err error) {
		if err != nil {
			a.S.Say("Not saved: " + escape.Line(err.Error()))
			return
		}
		part := m.SubImage(of(m.Rect))
		a.S.SaveFile(path, func(w io.Writer) error { return png.Encode(w, part) })
	})
}
