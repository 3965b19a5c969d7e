package finding

import (
	"strings"
	"unicode"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// crowd is threads without a partner whose names differ in numbers only.
type crowd struct {
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
	found := map[likeness]*crowd{}
	for _, r := range s.lone {
		sd := pair.Side(bit(r.Indices[pair.A] < 0))
		th := r.Threads[sd]
		if th.Len() == 0 || th.Kind == trace.Sums {
			continue
		}
		name, async := commonName(th), th.Kind == trace.AsyncTrack
		key := likeness{pattern(name), async}
		if found[key] == nil {
			found[key] = &crowd{name: name, async: async}
		}
		found[key].add(sd, th, place(r, sd, 0))
	}
	for _, c := range found {
		s.add(Finding{Kind: Threads, Function: c.name, Calls: c.calls, At: c.at, Waiting: c.async,
			DeltaNs: c.ns[pair.B] - c.ns[pair.A], Text: s.threadWords(c)})
	}
}

func (c *crowd) add(sd pair.Side, th *trace.Thread, at *Place) {
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
