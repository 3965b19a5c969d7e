package threads

import (
	"strings"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/trace"
	"diptych/internal/typeface"
)

// emptiness returns why no wait is to be seen, and in one or two lines what to do about it. Both
// are "" where some are, or where shapes stand for them.
func (b *builder) emptiness() (why, remedy string) {
	f := &b.st.Folded
	switch n := len(b.v.sections); {
	case len(b.v.ribbons) > 0 || b.v.Total > 0 || b.v.Lines > 0:
		return "", ""
	case b.v.trace.Kind == trace.Profile:
		return "A profile has no waits: it does not say when calls were made.",
			"Record a trace to see who waits on whom."
	case b.v.trace.Calls() == 0:
		return "There are no calls.", ""
	case b.v.waits.Waits.Len() == 0:
		return "No call is known to wait.",
			"--rules names further functions that do.\ndocs/recording.md says how to record waits."
	case n == 0 && f.Hidden > 0:
		return "All other threads are hidden.", "Shift-H brings them back."
	case n == 0 && f.Apart+f.Endless+f.Runtime+f.Tracks > 0:
		return "No other thread waits or ends a wait.", "I shows the threads that are folded."
	case n == 0:
		return "There is no other thread to wait for.", ""
	}
	return "No wait that anything ended is in sight.", "Home shows the whole trace."
}

// whyLine is the height of a line of text in the middle of an empty view, dp.
const whyLine = 17

// empty says in the middle of the view why there is nothing to see.
func (b *builder) empty() {
	why, remedy := b.emptiness()
	if why == "" || b.v.Ring.Zero < namesFrom*b.dp {
		return
	}
	l := b.at(b.layer(geom.Rect{}))
	r, size := b.v.Context, float32(textSize+1)*b.dp
	titles := broken(why, r.W(), size, true)
	lines := titles
	for _, text := range strings.Split(remedy, "\n") {
		lines = append(lines, broken(text, r.W(), size, false)...)
	}
	r.Y0 = min(b.v.Ring.Centre.Y+.3*b.v.Ring.Zero, r.Y1-float32(len(lines))*whyLine*b.dp)
	if r.Y0 < b.v.Context.Y0 {
		return
	}
	for k, text := range lines {
		r.Y1 = r.Y0 + whyLine*b.dp
		text = typeface.Clip(text, r.W(), size)
		title := k < len(titles)
		line, half := r, typeface.Width(text, size, title)/2
		line.X0, line.X1 = (r.X0+r.X1)/2-half, (r.X0+r.X1)/2+half
		if b.overLabels(line) {
			return
		}
		l.Write(scene.Text{Rect: r, Text: text, Size: size,
			Fill: b.pal.Secondary, Align: scene.AlignCentre, Bold: title})
		r.Y0 = r.Y1
	}
}

// broken returns the lines of a text between whose words it is broken to be no wider than width px.
func broken(text string, width, size float32, bold bool) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimSpace(line + " " + word)
		if line != "" && typeface.Width(longer, size, bold) > width {
			lines, longer = append(lines, line), word
		}
		line = longer
	}
	return append(lines, line)
}
