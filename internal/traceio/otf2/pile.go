package otf2

// pile is a list that grows without being copied, so that no memory is held twice.
type pile[T any] struct {
	chunks [][]T
	n      int
}

const pileChunk = 1 << 10

// add appends v and returns its index.
func (p *pile[T]) add(v T) int {
	k := p.n / pileChunk
	switch {
	case k < len(p.chunks):
	case k == 0:
		p.chunks = append(p.chunks, nil) // most piles stay small
	default:
		p.chunks = append(p.chunks, make([]T, 0, pileChunk))
	}
	p.chunks[k] = append(p.chunks[k], v)
	p.n++
	return p.n - 1
}

func (p *pile[T]) at(i int) *T { return &p.chunks[i/pileChunk][i%pileChunk] }
