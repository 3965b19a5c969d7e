package finding

import (
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// tellThreads tells of threads that one side alone has, those of one name and side together.
func (s *study) tellThreads() {
	type crowd struct {
		name string
		side pair.Side
	}
	found := map[crowd]*Finding{}
	threads := map[crowd]int{}
	for _, r := range s.lone {
		sd := pair.A
		if r.Indices[sd] < 0 {
			sd = pair.B
		}
		th := r.Threads[sd]
		if th.Len() == 0 {
			continue
		}
		key := crowd{role(th), sd}
		f := found[key]
		if f == nil {
			f = &Finding{Kind: Threads, Function: key.name}
			f.At[sd] = place(r, sd, 0)
			found[key] = f
		}
		from, to := th.Span()
		f.Calls[sd] += int64(th.Len())
		f.DeltaNs += to - from
		threads[key]++
	}
	for key, f := range found {
		f.Text = s.threadWords(key.name, threads[key], key.side, f)
		if key.side == pair.A {
			f.DeltaNs = -f.DeltaNs
		}
		s.add(*f)
	}
}

// role is a thread's name without the id that a format adds to tell threads of one role apart.
func role(th *trace.Thread) string { return strings.TrimSuffix(th.Title(), " · "+th.ID) }
