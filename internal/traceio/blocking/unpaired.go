package blocking

import (
	"strings"

	"diptych/internal/trace"
)

// Locks of which a recorder lost calls.
//
// Who takes a mutex gives it back, so both functions are called equally often, but for threads that
// end with one. uftrace can lose nearly all calls of one of them: if two threads call a library's
// function for the first time at the same moment, the dynamic linker may put the function's address
// in the place of uftrace's hook, and what the module calls later is not seen. For example:
//
//	pthread_mutex_lock      662 times
//	pthread_mutex_unlock     14 times

// fewUnpaired is how many more there may be of one than of the other.
const fewUnpaired = 16

// calls are the calls of one kind, and their functions.
type calls struct {
	functions []trace.FuncID
	n         uint64
}

// unpaired returns the calls of mutexes most of whose counterparts are missing, and these. Where
// only one of both occurs, nobody asked for the other.
func (p *pass) unpaired() (many, missing calls) {
	count := make([]uint64, len(p.rules))
	for k, list := range p.ruled {
		for _, i := range list {
			count[p.tr.Threads[k].Fn[i]]++
		}
	}
	var takes, gives, tries calls
	for f, n := range count {
		name := strings.TrimLeft(plainName(p.tr.Functions[f].Name), "_")
		to := &tries
		switch {
		case n == 0 || !strings.HasPrefix(name, "pthread_mutex_"):
			continue
		case name == "pthread_mutex_lock":
			to = &takes
		case name == "pthread_mutex_unlock":
			to = &gives
		}
		to.functions, to.n = append(to.functions, trace.FuncID(f)), to.n+n
	}
	switch {
	case min(takes.n, gives.n) == 0 || p.tr.Floor > 0: // short calls were left out
	case takes.n > 2*gives.n+fewUnpaired:
		return takes, gives
	case gives.n > 2*(takes.n+tries.n)+fewUnpaired:
		return gives, takes
	}
	return calls{}, calls{}
}

// tellUnpaired states which calls the recorder lost.
func (p *pass) tellUnpaired(b *trace.Builder) {
	if many, missing := p.unpaired(); many.n > 0 {
		name := func(c calls) string { return p.tr.Functions[c.functions[0]].Name }
		b.Lose(missing.functions, many.n-missing.n, "%s is called %d times, but %s %d times",
			name(missing), missing.n, name(many), many.n)
	}
}
