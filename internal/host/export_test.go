package host

// Nudge ends the window's wait for events.
func Nudge() { nudge() }

// ByCPU reports whether p is drawn by a canvas, which needs no programs.
func (p *Picture) ByCPU() bool { return p.stage.renderer.ByCPU() }
