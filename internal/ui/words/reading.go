package words

import (
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// NoWriter says why a named pipe is not read.
const NoWriter = "waiting for a program that writes to the pipe"

// Reading says how much has been read of a trace that is being loaded; g may be nil.
func Reading(g *session.Growing) string {
	switch {
	case g != nil && g.Waits:
		return NoWriter
	case g == nil || g.Calls == 0 && (g.Share <= 0 || g.Share >= 1):
		return "opening"
	case g.Share < 0 || g.Share >= 1: // the end of a pipe is not known
		return kit.Plural(g.Calls, "call") + " so far"
	case g.Calls == 0:
		return kit.Percent(g.Share) + " read"
	}
	return kit.Percent(g.Share) + " read  ·  " + kit.Plural(g.Calls, "call") + " so far"
}
