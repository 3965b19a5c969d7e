package kit

import (
	"image"
	"testing"
	"time"

	"gioui.org/layout"

	"diptych/internal/ui/uitest"
)

// bench lays a widget out in frames of an event router, without a window or a picture.
type bench struct {
	uitest.User

	kit  *Kit
	w    layout.Widget
	size image.Point
	dims layout.Dimensions // of the widget in the last frame
}

// show lays w out in the upper left corner of a window of 400 × 300 px.
func show(t *testing.T, k *Kit, w layout.Widget) *bench {
	b := &bench{kit: k, w: w, size: image.Pt(400, 300)}
	b.User = uitest.User{T: t, Show: b.frame}
	b.frame()
	return b
}

// frame lays the widget out twice: what an event changes is drawn in the frame after it.
func (b *bench) frame() {
	for range 2 {
		b.Now += time.Second / 60
		b.kit.Begin(uitest.Metric, b.size)
		b.LayOut(layout.Constraints{Max: b.size}, func(gtx layout.Context) { b.dims = b.w(gtx) })
	}
}
