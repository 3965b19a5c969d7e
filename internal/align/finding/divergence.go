package finding

import (
	"strings"
	"unicode"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Where two runs first differ is told of what the program does. What the system does to it is no
// difference of the runs, nor is a call that samples have merely missed; and that a thread waits
// follows from what others do, so it is told only where nothing else differs.

// parting is where the sides of a thread pair part.
type divergence struct {
	in   *align.Result
	node align.Node
	at   int64 // ns
}

// tellDivergence tells where the runs first differ in what they call: of the first such place of
// each thread pair, the earliest.
func (s *study) tellDivergence() error {
	var first [2]divergence // what the program does, and waits
	for k, r := range s.aligned {
		if s.whole[r] {
			continue
		}
		found, err := s.divergencesOf(k)
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
			s.tellFirstDivergence(p)
			break
		}
	}
	return nil
}

// partings returns the first place where a thread pair parts, and the first wait to do so up to
// there.
func (s *study) divergencesOf(k int) (found [2]divergence, err error) {
	r := s.aligned[k]
	for n := range r.Walk {
		if err = s.tick(1); err != nil {
			break
		}
		if n.State == align.Equal ||
			n.State == align.Different && s.identity(r, pair.A, n.A) == s.identity(r, pair.B, n.B) {
			continue
		}
		waits := true
		for sd, i := range [2]*int32{&n.A, &n.B} {
			if *i == align.None {
				continue
			}
			if s.beyondProgram(k, pair.Side(sd), *i) {
				*i = align.None
			} else if s.trusts[k][sd][*i] < onThreads {
				waits = false
			}
		}
		w := toInt(waits)
		if n.A == align.None && n.B == align.None || found[w].in != nil {
			continue
		}
		if found[w] = (divergence{r, n, when(r, n)}); !waits {
			break
		}
	}
	return found, err
}

// happens reports whether a call without a partner is the system's doing, or chance: it is not told
// as missing or new then.
func (s *study) beyondProgram(k int, sd pair.Side, i int32) bool {
	r := s.aligned[k]
	switch th := r.Threads[sd]; {
	case byNature(s.p.Trace(sd).Functions[th.Fn[i]].Kind):
		return true
	case !s.recordedByChance(r, sd, i):
		return false
	}
	t := s.causes[site{anywhere, strand{s.identity(r, sd, i), passed(r, sd, i)}}]
	if t == nil {
		return true
	}
	_, n := t.verdict()
	return n == 0
}

func (s *study) tellFirstDivergence(p divergence) {
	f := Finding{Kind: Divergence}
	for sd, i := range [2]int32{p.node.B, p.node.A} { // A's identity is the one to be told
		if sd := pair.Side(sd).Other(); i != align.None {
			f.At[sd], f.Calls[sd] = placeOf(p.in, sd, i), 1
			f.ID = s.identity(p.in, sd, i)
		}
	}
	f.Function = s.names[f.ID]
	f.Text = s.divergenceWords(p)
	s.addFinding(f)
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

// crowd is threads without a partner whose names differ in numbers only.
type threadGroup struct {
	name    string   // of the first
	threads [2]int64 // by side
	calls   [2]int64
	ns      [2]int64
	at      [2]*Place
	async   bool
}

// tellThreads tells of threads that are like none on the other side, those of one name together.
func (s *study) tellThreads() {
	type likeness struct {
		pattern string
		async   bool
	}
	found := map[likeness]*threadGroup{}
	for _, r := range s.lone {
		sd := pair.Side(toInt(r.Indices[pair.A] < 0))
		th := r.Threads[sd]
		if th.Len() == 0 || th.Kind == trace.Sums {
			continue
		}
		name, async := commonName(th), th.Kind == trace.AsyncTrack
		key := likeness{pattern(name), async}
		if found[key] == nil {
			found[key] = &threadGroup{name: name, async: async}
		}
		found[key].addThread(sd, th, placeOf(r, sd, 0))
	}
	for _, c := range found {
		s.addFinding(Finding{Kind: Threads, Function: c.name, Calls: c.calls, At: c.at, Waiting: c.async,
			DeltaNs: c.ns[pair.B] - c.ns[pair.A], Text: s.threadWords(c)})
	}
}

func (c *threadGroup) addThread(sd pair.Side, th *trace.Thread, at *Place) {
	from, to := th.Span()
	c.threads[sd]++
	c.calls[sd] += int64(th.Len())
	c.ns[sd] += to - from
	if c.at[sd] == nil {
		c.at[sd] = at
	}
}

// pattern is a name without the numbers that tell threads apart.
func pattern(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, name)
}

// commonName is what a thread is called in every run, or its title if that is only a number.
func commonName(th *trace.Thread) string {
	if th.Role == "" {
		return th.Title()
	}
	return th.CommonName()
}
