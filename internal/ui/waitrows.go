package ui

import (
	"cmp"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/scene/threads"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/ui/kit"
	"diptych/internal/wait"
)

// waitRow is a line of the table of waits.
type waitRow struct {
	key    string    // tells it from other lines of its table
	who    [2]string // the one who waited, and who ended that; "" where there is none
	roles  string    // what they are to their program
	object string    // what was waited for, or in which function
	line   int       // of the thread that waited, −1 for several
	last   bool      // nothing ended the waits, or they are the runtime's own
	count  [2]uint64
	ns     [2]int64
	waits  [2]int   // the longest such wait of each side, −1 for none
	lines  [][2]int // the same by pair of threads that waited, where they are several
	search string   // what the filter looks in
}

func (r *waitRow) delta() int64 { return r.ns[pair.B] - r.ns[pair.A] }

// standsOut reports whether the line tells of a change that stands out.
func (r *waitRow) standsOut(c *session.Changes) bool {
	return c != nil && c.StandsOut(&wait.Row{Count: r.count, WaitNs: r.ns})
}

// title tells who waited on whom.
func (r *waitRow) title() string {
	if r.who[1] == "" {
		return r.who[0]
	}
	return r.who[0] + " ← " + r.who[1]
}

// waitTable makes the lines of the table from what is known.
type waitTable struct {
	st      *session.State
	sides   [2]*wait.Analysis
	objects []wait.ObjectPair
	longest map[[3]int32][2]int // by waiter, releaser and object: waits, −1 for none
}

// newWaitTable returns nil while what it needs is not known.
func newWaitTable(st *session.State) *waitTable {
	t := &waitTable{st: st, sides: analyses(st), longest: map[[3]int32][2]int{}}
	if st.Pair == nil || st.Waits == nil || st.Both() && st.ComparedWaits() == nil {
		return nil
	}
	if c := st.ComparedWaits(); c != nil {
		t.objects = c.Objects
	}
	some := false
	for _, side := range []pair.Side{pair.A, pair.B} {
		if a := t.sides[side]; a != nil {
			some = true
			if !st.Both() {
				t.alone(side, a)
			}
			t.findLongest(side, a)
		}
	}
	if !some {
		return nil
	}
	return t
}

// alone lists the objects of one trace as if they had a partner.
func (t *waitTable) alone(side pair.Side, a *wait.Analysis) {
	for o := range a.Objects {
		p := [2]int32{-1, -1}
		p[side] = int32(o)
		t.objects = append(t.objects, wait.ObjectPair{A: p[pair.A], B: p[pair.B]})
	}
}

// findLongest finds the longest outermost wait of each kind.
func (t *waitTable) findLongest(side pair.Side, a *wait.Analysis) {
	object := make([]int32, len(a.Objects))
	for k, o := range t.objects {
		if i := [2]int32{o.A, o.B}[side]; i >= 0 {
			object[i] = int32(k)
		}
	}
	ws := &a.Waits
	for w := range ws.Len() {
		if !ws.Outermost(w) {
			continue
		}
		k := [3]int32{int32(t.st.Pair.Of(side, int(ws.Thread[w]))), -1, -1}
		if by := ws.By[w].Thread; by >= 0 {
			k[1] = int32(t.st.Pair.Of(side, int(by)))
		}
		if o := a.Object(w); o != trace.NoObject {
			k[2] = object[o]
		}
		have, ok := t.longest[k]
		if !ok {
			have = [2]int{-1, -1}
		}
		if have[side] < 0 || ws.Dur(w) > ws.Dur(have[side]) {
			have[side] = w
			t.longest[k] = have
		}
	}
}

// plain returns who waited on whom for what, of a pair or of one trace.
func (t *waitTable) plain() []wait.Row {
	if c := t.st.ComparedWaits(); c != nil {
		return c.Rows
	}
	var rows []wait.Row
	for k, a := range t.sides {
		if a == nil {
			continue
		}
		for _, e := range a.Edges {
			r := wait.Row{Waiter: e.Waiter, Releaser: e.Releaser, Object: -1}
			if e.Object != trace.NoObject {
				r.Object = int32(e.Object)
			}
			r.Count[k], r.WaitNs[k] = e.Count, e.WaitNs
			rows = append(rows, r)
		}
	}
	return rows
}

// byThread returns a line for each pair of threads and object.
func (t *waitTable) byThread() []waitRow {
	var rows []waitRow
	for _, r := range t.plain() {
		row := waitRow{who: [2]string{t.id(r.Waiter), t.id(r.Releaser)}, roles: t.role(r.Waiter),
			line: int(r.Waiter), count: r.Count, ns: r.WaitNs,
			waits: t.longest[[3]int32{r.Waiter, r.Releaser, r.Object}]}
		if by := t.role(r.Releaser); by != "" && by != row.roles {
			row.roles += " ← " + by
		}
		row.object = t.object(r.Object, row.waits)
		row.last = r.Releaser < 0 || t.resting(row.waits)
		rows = append(rows, row.named())
	}
	return rows
}

// byRole adds up lines whose threads have the same roles and whose object is the same.
func (t *waitTable) byRole() []waitRow {
	at := map[string]int{}
	var rows []waitRow
	for _, r := range t.plain() {
		waits := t.longest[[3]int32{r.Waiter, r.Releaser, r.Object}]
		row := waitRow{who: [2]string{t.roleOrID(r.Waiter), t.roleOrID(r.Releaser)}, line: -1,
			last: r.Releaser < 0 || t.resting(waits), object: t.object(r.Object, waits), waits: waits}
		row = row.named()
		k, ok := at[row.key]
		if !ok {
			k = len(rows)
			at[row.key] = k
			rows = append(rows, row)
		}
		rows[k].add(t, &r, waits)
		rows[k].lines = append(rows[k].lines, waits)
	}
	return rows
}

func (r *waitRow) add(t *waitTable, w *wait.Row, waits [2]int) {
	for s := range r.ns {
		r.count[s] += w.Count[s]
		r.ns[s] += w.WaitNs[s]
		if a := t.sides[s]; waits[s] >= 0 &&
			(r.waits[s] < 0 || a.Waits.Dur(waits[s]) > a.Waits.Dur(r.waits[s])) {
			r.waits[s] = waits[s]
		}
	}
}

// shown returns the waits to show: the longest of all and, on the other side, the longest of the
// thread that is paired with the one that waited so long, if it has any.
func (t *waitTable) shown(r *waitRow) [2]int {
	lead := pair.A
	if r.waits[pair.A] < 0 || r.waits[pair.B] >= 0 &&
		t.sides[pair.B].Waits.Dur(r.waits[pair.B]) > t.sides[pair.A].Waits.Dur(r.waits[pair.A]) {
		lead = pair.B
	}
	out, best := r.waits, int64(-1)
	for _, waits := range r.lines {
		w := waits[lead.Other()]
		if w < 0 || t.lineOf(lead.Other(), w) != t.lineOf(lead, r.waits[lead]) {
			continue
		}
		if d := t.sides[lead.Other()].Waits.Dur(w); d > best {
			out[lead.Other()], best = w, d
		}
	}
	return out
}

// lineOf returns the pair of threads that a wait is of.
func (t *waitTable) lineOf(side pair.Side, w int) int {
	return t.st.Pair.Of(side, int(t.sides[side].Waits.Thread[w]))
}

// totals returns a line for each pair of threads: how long each waited in all.
func (t *waitTable) totals() []waitRow {
	var rows []waitRow
	for k, p := range t.st.Pair.Threads {
		row := waitRow{who: [2]string{t.id(int32(k))}, roles: t.role(int32(k)), line: k,
			waits: [2]int{-1, -1}}
		var io [2]int64
		for s, a := range t.sides {
			if th := p.On(pair.Side(s)); a != nil && th >= 0 {
				sum := &a.Threads[th]
				row.count[s], row.ns[s], io[s] = sum.Waits, sum.WaitNs, sum.IONs
			}
		}
		if row.count[0]+row.count[1] == 0 && io[0]+io[1] == 0 {
			continue
		}
		if io[0]+io[1] > 0 {
			row.object = "I/O " + t.both(func(s pair.Side) string { return timeText(t.sides[s], io[s]) })
		}
		rows = append(rows, row.named())
	}
	return rows
}

func (r waitRow) named() waitRow {
	r.key = strings.Join([]string{r.title(), r.roles, r.object}, "\n")
	r.search = strings.ToLower(r.key)
	return r
}

// both writes what there is on each side that is open.
func (t *waitTable) both(of func(s pair.Side) string) string {
	var parts []string
	for _, s := range []pair.Side{pair.A, pair.B} {
		if t.sides[s] != nil {
			parts = append(parts, of(s))
		}
	}
	return strings.Join(parts, " | ")
}

// nobody stands for who ended waits that nothing ended.
const nobody = "nobody"

// id names a pair of threads by A's id, and by B's where that is another.
func (t *waitTable) id(line int32) string {
	if line < 0 {
		return nobody
	}
	var ids []string
	for _, s := range []pair.Side{pair.A, pair.B} {
		if th := threadOf(t.st, s, t.st.Pair.Threads[line]); th != nil {
			if id := shortID(th.ID); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return strings.Join(ids, "|")
}

// shortID leaves out the process of a thread's id.
func shortID(id string) string {
	if _, thread, ok := strings.Cut(id, "/"); ok && thread != "" {
		return thread
	}
	return id
}

func (t *waitTable) role(line int32) string {
	if line < 0 {
		return ""
	}
	return threads.RoleOf(t.st.Pair, int(line))
}

func (t *waitTable) roleOrID(line int32) string {
	if r := t.role(line); line >= 0 && r != "" {
		return r
	}
	return t.id(line)
}

// object names what was waited for, or else in what function.
func (t *waitTable) object(o int32, waits [2]int) string {
	var names []string
	for s, a := range t.sides {
		if a == nil {
			continue
		}
		name := ""
		if o >= 0 {
			if k := [2]int32{t.objects[o].A, t.objects[o].B}[s]; k >= 0 {
				name = objectText(a, trace.ObjectID(k))
			}
		} else if w := waits[s]; w >= 0 {
			name = calledIn(a, a.Trace.Threads[a.Waits.Thread[w]], int(a.Waits.Call[w]))
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return sharedStart(names)
}

// restingState is what a recording calls the waiting of its runtime's own goroutines for work.
const restingState = "system goroutine"

// resting reports whether the longest waits are those of the runtime's own goroutines for work.
func (t *waitTable) resting(waits [2]int) bool {
	for s, w := range waits {
		if a := t.sides[s]; a != nil && w >= 0 {
			th := a.Trace.Threads[a.Waits.Thread[w]]
			fn := a.Trace.FunctionOf(th, int(a.Waits.Call[w]))
			return fn.Kind == trace.State && strings.Contains(fn.Name, restingState)
		}
	}
	return false
}

// sharedStart writes two names of one kind with the kind once.
func sharedStart(names []string) string {
	if len(names) == 2 {
		kind, rest, ok := strings.Cut(names[1], " ")
		if ok && strings.HasPrefix(names[0], kind+" ") {
			return names[0] + " | " + rest
		}
	}
	return strings.Join(names, " | ")
}

// waitOrders are the ways to sort. Waits that nothing ended come last, and the runtime's own.
var waitOrders = [...]struct {
	label, name string
	less        func(x, y *waitRow) int
}{
	{"change", "Sort by change", func(x, y *waitRow) int {
		return cmp.Compare(kit.Abs(float64(y.delta())), kit.Abs(float64(x.delta())))
	}},
	{"time", "Sort by time waited", func(x, y *waitRow) int {
		return cmp.Compare(max(y.ns[0], y.ns[1]), max(x.ns[0], x.ns[1]))
	}},
	{"count", "Sort by number of waits", func(x, y *waitRow) int {
		return cmp.Compare(max(y.count[0], y.count[1]), max(x.count[0], x.count[1]))
	}},
	{"name", "Sort by name", func(x, y *waitRow) int { return cmp.Compare(x.search, y.search) }},
}

// sortWaits sorts rows, and returns those that hold the query.
func sortWaits(rows []waitRow, order int, query string) []waitRow {
	rows = slices.DeleteFunc(slices.Clone(rows), func(r waitRow) bool {
		return !strings.Contains(r.search, query)
	})
	slices.SortStableFunc(rows, func(x, y waitRow) int {
		if x.last != y.last {
			if x.last {
				return 1
			}
			return -1
		}
		return waitOrders[order].less(&x, &y)
	})
	return rows
}
