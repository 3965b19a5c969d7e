package tracefile

import (
	"context"
	"time"

	"diptych/internal/progress"
)

// Checking a file takes all processors. Where there are few, the picture of its preview comes
// first, unless nobody has drawn it after so long.
const (
	fewProcessors = 4
	patience      = 500 * time.Millisecond
)

// awaitDrawn returns when drawn is closed, or when it does not pay to wait for that. Drawn may be
// nil.
func awaitDrawn(ctx context.Context, drawn <-chan struct{}, patience time.Duration) {
	if drawn == nil || progress.Processors() >= fewProcessors {
		return
	}
	select {
	case <-drawn:
	case <-time.After(patience):
	case <-ctx.Done():
	}
}
