package testtrace

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"diptych/internal/trace"
)

// Mutate returns a copy of a file with some of its bits flipped, its end cut off, pieces of it
// repeated, or bytes replaced by others of its format's alphabet.
func Mutate(r *rand.Rand, file []byte, alphabet string) []byte {
	b := slices.Clone(file)
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			break
		}
		at := r.IntN(len(b))
		switch r.IntN(8) {
		case 0:
			b = b[:at]
		case 1:
			b = slices.Insert(b, at, b[r.IntN(at+1):at]...)
		case 2, 3:
			b[at] ^= 1 << r.IntN(8)
		default:
			b[at] = alphabet[r.IntN(len(alphabet))]
		}
	}
	return b
}

// Misplaced returns which call of a trace lies outside the trace or its caller, "" if none does.
func Misplaced(tr *trace.Trace) string {
	for _, th := range tr.Threads {
		for i := range th.Len() {
			up := int(th.Parent(i))
			if th.Start(i) < 0 || th.End(i) < th.Start(i) || th.End(i) > tr.Duration ||
				up >= 0 && (th.Start(i) < th.Start(up) || th.End(i) > th.End(up)) {
				return fmt.Sprintf("call %d of %s, %d to %d of %d", i, th.ID, th.Start(i), th.End(i), tr.Duration)
			}
		}
	}
	return ""
}
