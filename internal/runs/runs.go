// Package runs compares several recordings of one program a side: what differs between the sides by
// more than recordings of one side differ from each other.
//
// Each run is reduced to a Summary, one after the other, so that no two traces have to be in memory
// at once. A summary has the time and the calls of every place, as the account splits them (package
// account): a function and what it does there (on CPU, waiting, I/O, off CPU), its caller, and the
// role of the thread. All of these mean the same in every run, so the places of many runs are
// matched by them, and no run is aligned with another. A place that a run does not have takes no
// time there.
//
// Functions have their time with callees besides, and their calls.
//
// What a Study of all summaries has of a place are two samples of times. Compare says of each
//
//	rank.go    how likely chance alone would set the sides so far apart: Mann and Whitney
//	shift.go   by how much they differ, with an interval: Hodges and Lehmann; how much two runs of
//	           one side differ; what remains of many tests: Benjamini and Hochberg
//	compare.go which changes may be claimed
//	needed.go  how many runs it takes
//
// The package does no I/O; it knows neither alignments nor findings.
package runs

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"diptych/internal/account"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// Most is how many runs a side may have.
const Most = 100

// Site is a place: where in the program time is spent, in words that mean the same in every run.
type Site struct {
	Kind     account.Kind
	Function string // its identity; "" for idle time
	Caller   string // "" for the roots of threads
	Role     string // of the thread: "worker" of "worker 3"; "" if its name is only a number
}

// Whole is the kind of sites that stand for a function as a whole: what its calls take with their
// callees, recursive calls once, however they spend it.
const Whole = account.Kinds

// Word names what a site's time is.
func (s *Site) Word() string {
	if s.Kind == Whole {
		return "with callees"
	}
	return s.Kind.String()
}

// Summary is what is kept of a run.
type Summary struct {
	Name      string // of the run, such as its path
	Unit      trace.Unit
	Kind      trace.Kind
	ElapsedNs int64
	Total     [account.Kinds]int64 // ns over all threads
	Sites     map[Site]account.Amount
	Functions map[string]account.Amount // with callees; nothing is said of the way
}

// mostSites bounds the places and the functions that are kept of a run, those with the most time:
// programs that name each span differently have as many places as calls.
const mostSites = 1 << 16

// Summarise reduces a trace to its summary. report, which may be nil, counts calls.
func Summarise(ctx context.Context, name string, t *trace.Trace, rules pair.Rules,
	report progress.Func) (*Summary, error) {
	w, err := wait.Find(ctx, t, nil)
	if err != nil {
		return nil, err
	}
	p := pair.New(t, nil, rules)
	b, err := account.Split(ctx, p, w, report)
	if err != nil {
		return nil, err
	}
	s := &Summary{Name: name, Unit: t.Unit, Kind: t.Kind, ElapsedNs: b.Elapsed[pair.A],
		Total: b.Total[pair.A], Sites: map[Site]account.Amount{}}
	names := make([]string, len(p.Names)) // copies: they may be parts of all that was read
	for id, n := range p.Names {
		names[id] = strings.Clone(n)
	}
	named := func(id uint32) string {
		if id == account.None {
			return ""
		}
		return names[id]
	}
	for k, th := range t.Threads {
		role := strings.Clone(cmp.Or(th.Role, th.CommonName()))
		b.EachOnThread(k, func(p account.Part, a account.Amount) {
			s.add(Site{p.Kind, named(p.Function), named(p.Caller), role}, a)
		})
	}
	s.Functions = functionsOf(ctx, b, named)
	keep(s.Sites, mostSites, compareSites)
	keep(s.Functions, mostSites, strings.Compare)
	return s, ctx.Err()
}

// functionsOf sums up calls with their callees by the identity of the function; of a profile of
// several sample types, those of the one that the balance is of.
func functionsOf(ctx context.Context, b *account.Balance, named func(uint32) string) map[string]account.Amount {
	p, sums := b.Pair, map[string]account.Amount{}
	stats := trace.CountAs(ctx, p.A, p.IDA, len(p.Names), func(k int) bool {
		return p.Counted(pair.A, k)
	})
	for id, calls := range stats.Calls {
		if calls > 0 {
			sums[named(uint32(id))] = account.Amount{Calls: int64(calls), Ns: stats.Total[id]}
		}
	}
	return sums
}

func (s *Summary) add(at Site, a account.Amount) {
	sum := s.Sites[at]
	s.Sites[at] = account.Amount{Calls: sum.Calls + a.Calls, Ns: sum.Ns + a.Ns,
		WayNs: sum.WayNs + a.WayNs}
}

// keep drops all but the given number of amounts, those with the most time.
func keep[K comparable](amounts map[K]account.Amount, most int, order func(x, y K) int) {
	if len(amounts) <= most {
		return
	}
	list := slices.SortedFunc(maps.Keys(amounts), order)
	slices.SortStableFunc(list, func(x, y K) int {
		return cmp.Compare(amounts[y].Ns, amounts[x].Ns)
	})
	for _, at := range list[most:] {
		delete(amounts, at)
	}
}

func compareSites(x, y Site) int {
	return cmp.Or(cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.Function, y.Function),
		cmp.Compare(x.Caller, y.Caller), cmp.Compare(x.Role, y.Role))
}

// Study is the runs of both sides. It is not safe for concurrent use.
type Study struct {
	Sides [2][]Run // by pair.Side

	at    map[Site]int32
	sites []Site
	first *Summary // whose unit and kind all others have
}

// Run is a run of a study.
type Run struct {
	Name      string
	ElapsedNs int64
	Total     [account.Kinds]int64
	amounts   []amountAt
}

type amountAt struct {
	site int32
	account.Amount
}

// Add adds a run to a side. It fails if the run cannot be compared with the others.
func (s *Study) Add(sd pair.Side, r *Summary) error {
	switch first := s.first; {
	case first == nil:
		s.first, s.at = &Summary{Name: r.Name, Unit: r.Unit, Kind: r.Kind}, map[Site]int32{}
	case first.Unit != r.Unit:
		return fmt.Errorf("%s is measured in %s and %s in %s, so they cannot be compared", first.Name,
			first.Unit, r.Name, r.Unit)
	case first.Kind != r.Kind:
		return fmt.Errorf("%s is a %v and %s a %v, so they cannot be compared", first.Name, first.Kind,
			r.Name, r.Kind)
	}
	if len(s.Sides[sd]) == Most {
		return fmt.Errorf("%s: side %v has %d runs already", r.Name, sd, Most)
	}
	run := Run{Name: r.Name, ElapsedNs: r.ElapsedNs, Total: r.Total,
		amounts: make([]amountAt, 0, len(r.Sites)+len(r.Functions))}
	for _, site := range slices.SortedFunc(maps.Keys(r.Sites), compareSites) {
		run.amounts = append(run.amounts, amountAt{s.index(site), r.Sites[site]})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Functions)) {
		at := s.index(Site{Kind: Whole, Function: name})
		run.amounts = append(run.amounts, amountAt{at, r.Functions[name]})
	}
	s.Sides[sd] = append(s.Sides[sd], run)
	return nil
}

func (s *Study) index(site Site) int32 {
	k, ok := s.at[site]
	if !ok {
		k = int32(len(s.sites))
		s.at[site] = k
		s.sites = append(s.sites, site)
	}
	return k
}

// Typical returns the index of the run of a side whose elapsed time is the median; of an even
// number of runs, the shorter one of the two in the middle.
func (s *Study) Typical(sd pair.Side) int {
	order := make([]int, len(s.Sides[sd]))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int {
		return cmp.Compare(s.Sides[sd][x].ElapsedNs, s.Sides[sd][y].ElapsedNs)
	})
	return order[(len(order)-1)/2]
}
