package chrome

import (
	"strings"

	"diptych/internal/trace"
)

// kind is how a phase is treated; the package comment lists them.
type kind uint8

const (
	unknownPhase kind = iota
	call
	async
	mark
	flowStep
	counter
	metadata
	passed // known, and not kept
)

var phases = func() (k [256]kind) {
	for letters, to := range map[string]kind{
		"BEX": call, "beSFnTp": async, "iIR": mark, "stf": flowStep, "C": counter, "M": metadata,
		"NODPVvc()=": passed,
	} {
		for _, c := range []byte(letters) {
			k[c] = to
		}
	}
	return k
}()

// kindOf tells what a call of the given name and category is: uftrace shows events of the kernel as
// calls of the program, Chromium and PyTorch have categories for what the program marks itself.
func kindOf(name, category string, k trace.FuncKind) trace.FuncKind {
	switch {
	case k != trace.Routine:
		return k
	case strings.HasPrefix(name, "linux:"):
		return trace.Event
	case strings.Contains(category, "user_timing"), strings.Contains(category, "user_annotation"):
		return trace.Region
	}
	return k
}
