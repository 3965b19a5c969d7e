package testtrace

import (
	"math/rand/v2"
	"slices"
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
