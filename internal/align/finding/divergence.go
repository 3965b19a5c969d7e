package finding

import (
	"diptych/internal/align"
	"diptych/internal/pair"
)

// Where two runs first differ is told of what the program does. What the system does to it is no
// difference of the runs, nor is a call that samples have merely missed; and that a thread waits
// follows from what others do, so it is told only where nothing else differs.

// parting is where the sides of a thread pair part.
type parting struct {
	in   *align.Result
	node align.Node
	at   int64 // ns
}

// tellDivergence tells where the runs first differ in what they call: of the first such place of
// each thread pair, the earliest.
func (s *study) tellDivergence() error {
	var first [2]parting // what the program does, and waits
	for k, r := range s.aligned {
		if s.whole[r] {
			continue
		}
		found, err := s.partings(k)
		if err != nil {
			return err
		}
		for w, p := range found {
			if p.in != nil && (first[w].in == nil || p.at < first[w].at) {
				first[w] = p
			}
		}
	}
	for _, p := range first {
		if p.in != nil {
			s.tellParting(p)
			break
		}
	}
	return nil
}

// partings returns the first place where a thread pair parts, and the first wait to do so up to
// there.
func (s *study) partings(k int) (found [2]parting, err error) {
	r := s.aligned[k]
	for n := range r.Walk {
		if err = s.tick(1); err != nil {
			break
		}
		if n.State == align.Equal ||
			n.State == align.Different && s.id(r, pair.A, n.A) == s.id(r, pair.B, n.B) {
			continue
		}
		waits := true
		for sd, i := range [2]*int32{&n.A, &n.B} {
			if *i == align.None {
				continue
			}
			if s.happens(k, pair.Side(sd), *i) {
				*i = align.None
			} else if s.says[k][sd][*i] < others {
				waits = false
			}
		}
		w := bit(waits)
		if n.A == align.None && n.B == align.None || found[w].in != nil {
			continue
		}
		if found[w] = (parting{r, n, when(r, n)}); !waits {
			break
		}
	}
	return found, err
}

// happens reports whether a call without a partner is the system's doing, or chance: it is not told
// as missing or new then.
func (s *study) happens(k int, sd pair.Side, i int32) bool {
	r := s.aligned[k]
	switch th := r.Threads[sd]; {
	case byNature(s.p.Trace(sd).Functions[th.Fn[i]].Kind):
		return true
	case !s.byChance(r, sd, i):
		return false
	}
	t := s.causes[site{anywhere, strand{s.id(r, sd, i), passed(r, sd, i)}}]
	if t == nil {
		return true
	}
	_, n := t.verdict()
	return n == 0
}

func (s *study) tellParting(p parting) {
	f := Finding{Kind: Divergence}
	for sd, i := range [2]int32{p.node.B, p.node.A} { // A's identity is the one to be told
		if sd := pair.Side(sd).Other(); i != align.None {
			f.At[sd], f.Calls[sd] = place(p.in, sd, i), 1
			f.ID = s.id(p.in, sd, i)
		}
	}
	f.Function = s.names[f.ID]
	f.Text = s.divergenceWords(p)
	s.add(f)
}

// when returns when the sides part, ns: the start of a call that one has, the earlier of two.
func when(r *align.Result, n align.Node) int64 {
	switch {
	case n.A == align.None:
		return r.Threads[pair.B].Start[n.B]
	case n.B == align.None:
		return r.Threads[pair.A].Start[n.A]
	}
	return min(r.Threads[pair.A].Start[n.A], r.Threads[pair.B].Start[n.B])
}
