package finding

import (
	"fmt"

	"diptych/internal/pair"
)

// What a finding claims, as data: each number in a sentence can be counted again in the two traces
// by plain code. A finding whose claims contradict what its kind says is not told (holds); what it
// would have told is left to what nothing explains.

// Quantity is what a claim counts.
type Quantity uint8

const (
	Calls      Quantity = iota // number of calls
	SelfNs                     // time outside callees
	TotalNs                    // time including callees; calls inside others of it are left out
	WaitNs                     // self time of calls that are marked as waiting
	DurationNs                 // the longest call

	// What the account says. Each ns of a thread that counts (account.Thread) belongs to its
	// innermost call, or to the outermost one around that which blocks, or to none.
	CPUNs     // of a function that runs
	IONs      // of calls that do input or output
	OffCPUNs  // of states without a processor
	BlockedNs // of calls that wait, and of idle gaps that were waits
	IdleNs    // in no call
	WorkNs    // on CPU, in I/O and off CPU
	ElapsedNs // the recording's first event to its last
	AlikeNs   // on CPU in functions that a caller calls about equally often on both sides

	// What the recorder of a profile has counted, where Calls are nodes of a tree.
	CountedCalls
	quantities
)

var quantityNames = [quantities]string{"calls", "selfNs", "totalNs", "waitNs", "durationNs",
	"cpuNs", "ioNs", "offCpuNs", "blockedNs", "idleNs", "workNs", "elapsedNs", "alikeNs", "countedCalls"}

func (q Quantity) String() string {
	if q < quantities {
		return quantityNames[q]
	}
	return fmt.Sprintf("quantity(%d)", uint8(q))
}

// Claim is one number by side. Names are those of both traces after the rules of the pair. A name
// that ends in " …" stands for all spans that begin with the same words (families.go). Without a
// name, a claim is about a whole thread: the number of its calls, and the time from its first call
// to the end of its last, or what the account says of it. Without a thread either, it is about the
// whole run.
type Claim struct {
	Quantity Quantity
	Function string
	Caller   *string // calls by this function only, "" for roots; nil for all
	Thread   [2]*int // calls in these threads only; nil for all
	// Object is for waits for these objects only, by index in each trace: −1 for those that name
	// none, nil on one side if only the other one has the object, and nil on both for all waits.
	Object [2]*int
	Values [2]int64
}

// Certainty says how sure it is that a difference is due to the program.
type Certainty uint8

const (
	Certain Certainty = iota
	Likely
	Chance // could be chance
	certainties
)

var certaintyNames = [certainties]string{"certain", "likely", "chance"}

func (c Certainty) String() string {
	if c < certainties {
		return certaintyNames[c]
	}
	return fmt.Sprintf("certainty(%d)", uint8(c))
}

// of returns a quantity of a total.
func (t *total) of(q Quantity) int64 {
	return [quantities]int64{Calls: t.calls, SelfNs: t.self, TotalNs: t.inAll, WaitNs: t.waits,
		DurationNs: t.longest}[q]
}

// claim states a quantity of a function. Of a renamed function, each side has a name of its own,
// and what one side has of one name, the other has of the other.
func (s *sums) claim(q Quantity, caller, id uint32) []Claim {
	t := s.both(caller, id)
	c := Claim{Quantity: q, Function: s.names[id], Values: [2]int64{t[0].of(q), t[1].of(q)}}
	if caller != anywhere {
		name := s.callerName(caller)
		c.Caller = &name
	}
	return s.byName(c, id)
}

// byName splits a claim about a renamed function: each side has calls of one name only.
func (s *sums) byName(c Claim, id uint32) []Claim {
	if c.Thread == [2]*int{} {
		c.Thread = s.threads
	}
	to, renamed := s.newNames[id]
	if !renamed {
		return []Claim{c}
	}
	old, young := c, c
	old.Values[pair.B], young.Values[pair.A], young.Function = 0, 0, to
	return []Claim{old, young}
}

// claims states several quantities of a function.
func (s *sums) claims(caller, id uint32, of ...Quantity) (list []Claim) {
	for _, q := range of {
		list = append(list, s.claim(q, caller, id)...)
	}
	return list
}

// nameable reports whether claims may name a function as a caller: it has one name on both sides.
func (s *sums) nameable(caller uint32) bool {
	_, renamed := s.newNames[caller]
	return caller != anywhere && !renamed
}

// callerName returns the name of a caller for claims and sentences: nothing calls roots.
func (s *sums) callerName(caller uint32) string {
	if caller == atRoot {
		return ""
	}
	return s.names[caller]
}

// Claims states quantities of a function over all its calls, for sentences that others make.
func (r *Report) Claims(id uint32, of ...Quantity) []Claim {
	if r.sums.totals[pair.A] == nil {
		return nil
	}
	return r.sums.claims(anywhere, id, of...)
}

// Threads returns the threads that the report is about, nil for all.
func (r *Report) Threads() [2]*int { return r.sums.threads }

// ByName returns what others have counted of a function as claims: of a renamed one, each side has
// a name of its own.
func (r *Report) ByName(c Claim, id uint32) []Claim { return r.sums.byName(c, id) }

// Identity returns the identity that findings count calls of id as: that of the old name for a
// renamed function, and one for all spans that differ only in their arguments.
func (r *Report) Identity(id uint32) uint32 {
	if r.sums.same == nil {
		return id
	}
	return r.sums.same[id]
}

// Name returns the name under which findings tell a function, or "".
func (r *Report) Name(id uint32) string {
	if r.sums.names == nil {
		return ""
	}
	return r.sums.names[id]
}

// Longest returns the longest call of a function on each side, nil where there is none.
func (r *Report) Longest(id uint32) (at [2]*Place) {
	if r.sums.totals[pair.A] == nil {
		return at
	}
	for sd, t := range r.sums.both(anywhere, id) {
		if t.calls > 0 {
			at[sd] = &t.at
		}
	}
	return at
}

// value returns what a finding claims of all calls of its function: a renamed one has two names.
func (f *Finding) value(q Quantity) (v [2]int64, ok bool) {
	for _, c := range f.Claims {
		if c.Quantity == q && c.Caller == nil && c.Thread == f.threads {
			v[pair.A], v[pair.B], ok = v[pair.A]+c.Values[pair.A], v[pair.B]+c.Values[pair.B], true
		}
	}
	return v, ok
}

// holds reports whether what the kind of a finding says follows from its claims.
func (f *Finding) holds() bool {
	calls, counted := f.value(Calls)
	a, b := calls[pair.A], calls[pair.B]
	switch f.Kind {
	case New:
		return counted && a == 0 && b > 0
	case Missing:
		return counted && a > 0 && b == 0
	case Called, Repeat:
		return counted && a > 0 && b > 0 && a != b
	case Slower, Faster:
		self, ok := f.value(SelfNs)
		if !ok {
			self, ok = f.value(TotalNs)
		}
		return ok && (self[pair.B] > self[pair.A]) == (f.Kind == Slower)
	case Renamed:
		return len(f.Claims) >= 2 && f.Claims[0].Values[pair.B] == 0 && f.Claims[0].Values[pair.A] > 0 &&
			f.Claims[1].Values[pair.A] == 0 && f.Claims[1].Values[pair.B] > 0
	}
	return len(f.Claims) > 0
}
