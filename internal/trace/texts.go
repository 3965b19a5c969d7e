package trace

import "math/bits"

// textList is many short texts, one after the other, in pieces: so that adding one never copies
// those before it. A text is known by where it begins, piece and place in one word, and lies in one
// piece. A long one has a piece for itself.
type textList struct{ pieces [][]byte }

const (
	pieceShift = 16
	pieceLen   = 1 << pieceShift
	firstPiece = 128 // bytes
)

// add adds a text that is not empty and returns where it is. It is not ok if there are too many.
func (x *textList) add(r *room, text []byte) (from, to uint32, ok bool) {
	k := len(x.pieces) - 1
	if k < 0 || len(x.pieces[k])+len(text) > pieceLen {
		if k++; k == 1<<(32-pieceShift) {
			return 0, 0, false
		}
		x.pieces = append(x.pieces, newPiece(r, k, len(text)))
	}
	from = uint32(k<<pieceShift + len(x.pieces[k]))
	x.extend(text)
	return from, from + uint32(len(text)), true
}

// end returns where a text would be that is added to the last piece, and how many bytes it has room
// for: none if there is no piece.
func (x *textList) end() (at uint32, room int) {
	k := len(x.pieces) - 1
	if k < 0 {
		return 0, 0
	}
	n := len(x.pieces[k])
	return uint32(k<<pieceShift + n), pieceLen - n
}

// extend adds texts to the last piece, which may be that long. How much room the first one has does
// not depend on how many texts came at a time.
func (x *textList) extend(texts []byte) {
	last := &x.pieces[len(x.pieces)-1]
	if n := len(*last) + len(texts); n > cap(*last) {
		*last = append(make([]byte, 0, 1<<bits.Len(uint(n-1))), *last...)
	}
	*last = append(*last, texts...)
}

// newPiece makes room for texts, the first of which has so many bytes. Many threads have few texts,
// so the first piece is small, and grows.
func newPiece(r *room, k, text int) []byte {
	if k == 0 {
		return make([]byte, 0, max(firstPiece, text))
	}
	return made[byte](r, max(pieceLen, text))[:0]
}

// at returns the text between two places that add returned. The difference is its length even
// where the second is beyond what the word holds.
func (x *textList) at(from, to uint32) []byte {
	i := from & (pieceLen - 1)
	return x.pieces[from>>pieceShift][i : i+(to-from)]
}

// holds reports whether at can be asked for what lies between two places.
func (x *textList) holds(from, to uint32) bool {
	k := int(from >> pieceShift)
	return k < len(x.pieces) &&
		uint64(from&(pieceLen-1))+uint64(to-from) <= uint64(len(x.pieces[k]))
}

func (x *textList) bytes() (n int64) {
	for _, p := range x.pieces {
		n += int64(cap(p)) + 24
	}
	return n
}
