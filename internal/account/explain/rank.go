package explain

import (
	"cmp"
	"math"
	"slices"

	"diptych/internal/account"
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Section is a part of the list of findings, in the order in which they are read.
//
// Most of a difference may well be chance: then a list that begins with ten calls in another place
// tells nobody where the time went. But many small changes by chance would hide a renamed function.
// For example,
//
//	−908 µs   certain   Timed      runs 40 times instead of 79
//	−20.3 ms  chance    Large      does I/O for 211 µs instead of 20.5 ms, of 50 ms
//	 0        certain   Timeless   is named g in B
//	−499 µs   chance    Doubtful   its self time is 1/20 of A's
//	 0        certain   Minor      is called after g instead of before it
type Section uint8

const (
	Timed    Section = iota // certain or likely, with a part of the difference worth telling
	Changed                 // certain, of hardly any time, and what the program is made of: a few
	Large                   // could be chance, but a large part of why the runs differ
	Besides                 // certain or likely, and of another sample type than the default
	Timeless                // owns hardly anything, like a function that is renamed
	Doubtful                // could be chance
	Minor                   // slight news, if the runs differ by more than such news can explain
)

const (
	largeChance = 0.1  // of elapsed time or of work, in the direction in which the runs differ,
	largePart   = 0.25 // or this part of the difference, if that wants an explanation
	leastOwned  = 0.01 // of the difference, or leastCause of the longer run, that sorts Timeless

	wants = 0.05 // part of the longer run that wants an explanation, chance or not

	mostChanged = 5 // findings of no time that may stand before what could be chance
)

// titles head all sections of a list but the first.
var titles = [...]string{Changed: "Changed, with little or no time of its own", Large: "Large, but could be chance",
	Besides: "Other sample types", Timeless: "Little or no time of its own",
	Doubtful: "Could be chance", Minor: "Minor"}

// order knows what the order of findings depends on.
type order struct {
	b       *account.Balance
	differs bool // the runs differ by more than equal runs would, or by so much that one asks why
}

// newOrder returns the order for a balance, whose runs vary by noise.
func newOrder(b *account.Balance, noise finding.Noise) *order {
	beyond := func(ns, longer int64) bool {
		by := float64(magnitude(ns)) / float64(max(longer, 1))
		return by >= wants || by > leastCause && magnitude(ns) > noise.Usual(longer)
	}
	d, work := b.Delta(), b.Work()
	return &order{b, beyond(d.ElapsedNs, longerOf(b)) || beyond(d.WorkNs, max(work[pair.A], work[pair.B]))}
}

// sectionOf returns the section that a finding stands in, unless it stands under another one. That
// work overlaps more or less follows from something else, so it is never large.
func (o *order) sectionOf(f *Finding) Section {
	switch {
	case f.SampleType != "":
		return Besides
	case f.byChance() && f.Kind != "overlap" && o.large(o.told(f)):
		return Large
	case f.byChance():
		return Doubtful
	case worthTelling(o.b, o.told(f)) || f.Certainty == finding.Certain && o.worthOfCPU(o.told(f)):
		return Timed
	case o.differs && o.minor(f) && !ownsAtLeast(o.b, f.Own, leastOwned):
		return Minor
	}
	return Timeless
}

// worthOfCPU reports whether a part of the work is worth telling of the time for which threads have
// a processor: how long others take their turns says nothing of the program. For example, of a run
// of 15.5 ms, for 14.4 ms of which the thread had none, a tenth of the rest goes into 450 calls.
func (o *order) worthOfCPU(own account.Delta) bool {
	work := o.b.Work()
	longer := max(work[pair.A]-o.b.Total[pair.A][account.OffCPU], work[pair.B]-o.b.Total[pair.B][account.OffCPU])
	return longer > 0 && float64(magnitude(own.WorkNs)) >= leastCause*float64(min(longer, longerOf(o.b)))
}

// told returns the part of the difference that a finding tells: what it owns. Stack samples of a
// thread that has events of its own tell of the same time once more. So what they show owns
// nothing, but it says which code is behind what the events show, and stands beside them.
//
// So does what the language's runtime does on tracks of its own, if that is more than chance: it
// owns no thread's time, and may be why all of it changed. For example, garbage is collected 164
// times instead of 60.
func (o *order) told(f *Finding) account.Delta {
	for s, at := range f.At {
		if at == nil {
			continue
		}
		t := o.b.Pair.Trace(pair.Side(s))
		th := t.Threads[at.Thread]
		kind := t.FunctionOf(th, int(at.Call)).Kind
		phase := th.Kind == trace.AsyncTrack && (kind == trace.State || kind == trace.Event)
		if th.Kind == trace.Samples || phase && !f.byChance() {
			return account.Delta{WorkNs: f.DeltaNs}
		}
	}
	return f.Own
}

// large reports whether what a finding owns is a large part of why the runs differ.
func (o *order) large(own account.Delta) bool {
	d, work := o.b.Delta(), o.b.Work()
	of := func(ns, whole, longer int64) bool {
		common := float64(magnitude(account.Common(ns, whole)))
		if o.differs && common >= max(largePart*math.Abs(float64(whole)), wants*float64(longer)) {
			return common > 0
		}
		return common > 0 && common >= largeChance*float64(longer)
	}
	return of(own.ElapsedNs, d.ElapsedNs, longerOf(o.b)) ||
		of(own.WorkNs, d.WorkNs, max(work[pair.A], work[pair.B]))
}

// minor reports whether a finding that owns hardly anything is slight news: where the runs first
// differ, calls in another order or in another thread of a pool, a track for spans that overlap, a
// few calls more or less.
func (o *order) minor(f *Finding) bool {
	switch f.Kind {
	case finding.Divergence.String():
		return true
	case finding.Moved.String():
		return f.Slight
	case finding.Threads.String():
		return f.Waiting // tracks
	case finding.New.String(), finding.Missing.String(), finding.Renamed.String():
		return false
	}
	d := account.Delta{ElapsedNs: f.DeltaNs, WorkNs: f.DeltaNs}
	return !ownsAtLeast(o.b, d, leastOwned)
}

// rankFindings sorts findings by section, and those of a section that own something by weight. A
// finding that follows from another comes after it, before the next one that does not.
func rankFindings(b *account.Balance, noise finding.Noise, list []Finding) []Finding {
	o, places := newOrder(b, noise), make([]int, len(list))
	for i := range places {
		places[i], list[i].Section = i, o.sectionOf(&list[i])
	}
	raiseChanged(list)
	cause := func(i int) int { // the first of the chain
		for n := 0; n < len(list) && list[i].Under >= 0; n++ {
			i = list[i].Under
		}
		return i
	}
	slices.SortStableFunc(places, func(x, y int) int {
		cx, cy := cause(x), cause(y)
		return cmp.Or(o.compare(&list[cx], &list[cy]), cmp.Compare(cx, cy),
			cmp.Compare(depth(list, x), depth(list, y)))
	})
	at := make([]int, len(list)) // new index by old
	out := make([]Finding, len(list))
	for k, i := range places {
		out[k], at[i] = list[i], k
	}
	for k := range out {
		if under := out[k].Under; under >= 0 {
			out[k].Under = at[under]
		}
	}
	return out
}

// raiseChanged puts what changed in the program for certain, although it takes no time, before what
// could be chance, if these are a few findings. A renamed function is news; a list that begins with
// fifty new ones does not say where the time went.
func raiseChanged(list []Finding) {
	var changed []int
	large := false
	for i := range list {
		f := &list[i]
		large = large || f.Section == Large
		if f.Section == Timeless && f.Under < 0 && f.Certainty == finding.Certain && f.structural() {
			changed = append(changed, i)
		}
	}
	if !large || len(changed) > mostChanged {
		return
	}
	for _, i := range changed {
		list[i].Section = Changed
	}
}

// compare returns −1 if x stands before y, 1 if it stands after it.
func (o *order) compare(x, y *Finding) int {
	return cmp.Or(cmp.Compare(x.Section, y.Section), cmp.Compare(x.follows(), y.follows()),
		cmp.Compare(o.weight(y), o.weight(x)))
}

// byChance reports whether a finding could be chance.
func (f *Finding) byChance() bool { return f.Certainty == finding.Chance }

// follows is 1 for what only follows from how threads wait for each other, or from who has the
// processor. Of findings that could be chance, it comes last: when another program has its turn
// says nothing of this one, so of large ones that comes last, too.
func (f *Finding) follows() int {
	return toInt(f.Section == Doubtful && scheduled[f.Kind] || f.Section == Large && f.machine)
}

// weight is what findings of a section are ordered by, ns: by what they own. Waiting is never
// certain, but often the largest cause, so that a likely finding stands after a certain one only
// if it owns less than twice as much. In the same way, what makes up for a part of the difference
// stands after a cause of it, unless it is twice as large, or larger than all the difference. For
// example, of a run with 996 ms more work:
//
//	+247 ms  certain  988 ms
//	+530 ms  likely   1060 ms
//	−305 ms  certain  610 ms
func (o *order) weight(f *Finding) int64 {
	if f.Section == Minor {
		return 0 // they keep the order in which they were found
	}
	part := o.told(f)
	if (f.Section == Timeless || f.Section == Changed) && !ownsAtLeast(o.b, part, leastOwned) {
		if o.minor(f) {
			return 0
		}
		return max(2*int64(toInt(f.structural())), int64(toInt(tellsMuch(o.b, f))))
	}
	d, own, weight := o.b.Delta(), part.WorkNs, part.Rank()
	whole := d.WorkNs
	if part.ByElapsed() {
		own, whole = part.ElapsedNs, d.ElapsedNs
	}
	if f.Certainty == finding.Certain {
		weight *= 2
	}
	if account.Common(own, whole) != 0 || magnitude(own) > magnitude(whole) {
		weight *= 2
	}
	return weight
}

var scheduled = map[string]bool{"wait": true, "idle": true, "offCpu": true, "overlap": true}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// depth returns how many findings one follows from.
func depth(list []Finding, i int) (n int) {
	for ; n < len(list) && list[i].Under >= 0; n++ {
		i = list[i].Under
	}
	return n
}
