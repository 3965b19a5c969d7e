package table

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/wait"
)

// plainRows returns who waited on whom for what, of a pair or of one trace.
func (t *Table) plainRows(c *wait.Comparison) []wait.Row {
	if c != nil {
		return c.Rows
	}
	var rows []wait.Row
	for k, a := range t.Sides {
		if a == nil {
			continue
		}
		for _, e := range a.Edges {
			r := wait.Row{Waiter: int32(t.Pair.Of(pair.Side(k), int(e.Waiter))), Releaser: -1,
				Object: -1}
			if e.Releaser >= 0 {
				r.Releaser = int32(t.Pair.Of(pair.Side(k), int(e.Releaser)))
			}
			if e.Object != trace.NoObject {
				r.Object = int32(e.Object)
			}
			r.Count[k], r.WaitNs[k] = e.Count, e.WaitNs
			rows = append(rows, r)
		}
	}
	return rows
}

// addThreads makes a row for each pair of threads and object.
func (t *Table) addThreads(all []wait.Row) {
	for k := range all {
		r := &all[k]
		sum := t.plain.of(r)
		row := Row{Who: [2]string{t.name(r.Waiter), t.name(r.Releaser)}, Roles: t.unsaid(r.Waiter),
			Line: int(r.Waiter), Count: r.Count, WaitNs: r.WaitNs, Longest: sum.longest,
			Squares: sum.squares, others: t.timesOf(r)}
		if by := t.unsaid(r.Releaser); by != "" && by != row.Roles {
			row.Roles = strings.TrimPrefix(row.Roles+" ← "+by, " ← ")
		}
		row.Object = t.object(r.Object, row.Longest)
		row.Last = r.Releaser < 0 || t.resting(row.Longest)
		t.rows[ByThread] = append(t.rows[ByThread], t.findable(row, r.Waiter, r.Releaser))
	}
}

// addRoles adds up rows whose threads have the same roles, whatever they waited for.
func (t *Table) addRoles(all []wait.Row) {
	at := map[string]int{}
	var of []*roleObjects
	for k := range all {
		r := &all[k]
		plain := t.plain.of(r)
		waits := plain.longest
		last := r.Releaser < 0 || t.resting(waits)
		row := Row{Who: [2]string{t.roleOrName(r.Waiter), t.roleOrName(r.Releaser)}, Line: -1,
			Last: last, Longest: waits}.named()
		i, ok := at[row.Key]
		if !ok {
			i = len(t.rows[ByRole])
			at[row.Key] = i
			t.rows[ByRole] = append(t.rows[ByRole], row)
			of = append(of, &roleObjects{seen: map[string]bool{}, kinds: map[string]int{}})
			t.plain.ofRole = append(t.plain.ofRole, nil)
		}
		sum := &t.rows[ByRole][i]
		sum.Last = sum.Last && last
		of[i].add(t.object(r.Object, waits), t.kindOf(r.Object))
		t.plain.ofRole[i] = append(t.plain.ofRole[i], int32(k))
		t.addTo(sum, r, waits)
		sum.Squares += plain.squares
	}
	for i, o := range of {
		row := &t.rows[ByRole][i]
		row.Object = o.String()
		row.search += "\n" + strings.ToLower(strings.Join(o.names, "\n"))
	}
}

// roleObjects are the objects that the threads of a role waited for.
type roleObjects struct {
	names []string
	seen  map[string]bool
	kinds map[string]int // objects by kind
}

func (o *roleObjects) add(name, kind string) {
	if o.seen[name] || name == "" {
		return
	}
	o.seen[name] = true
	o.names = append(o.names, name)
	o.kinds[kind]++
}

// String names the object if there is one, and else says how many there are of each kind, as
// "12 mutexes, 1 semaphore".
func (o *roleObjects) String() string {
	if len(o.names) < 2 {
		return strings.Join(o.names, "")
	}
	var parts []string
	for _, kind := range slices.Sorted(maps.Keys(o.kinds)) {
		n := o.kinds[kind]
		switch {
		case n == 1:
		case strings.HasSuffix(kind, "x") || strings.HasSuffix(kind, "ss"):
			kind += "es"
		default:
			kind += "s"
		}
		parts = append(parts, strconv.Itoa(n)+" "+kind)
	}
	return strings.Join(parts, ", ")
}

// kindOf says what sort of thing an object is; where it is not known, the function is what is
// waited in.
func (t *Table) kindOf(o int32) string {
	if o < 0 {
		return "function"
	}
	if k := t.objects[o].A; k >= 0 && t.Sides[pair.A] != nil {
		return t.Sides[pair.A].Objects[k].Kind.String()
	}
	return t.Sides[pair.B].Objects[t.objects[o].B].Kind.String()
}

// addTo adds a plain row to one by role.
func (t *Table) addTo(sum *Row, r *wait.Row, waits [2]int) {
	for s, w := range waits {
		sum.Count[s] += r.Count[s]
		sum.WaitNs[s] += r.WaitNs[s]
		side := pair.Side(s)
		if w >= 0 && (sum.Longest[s] < 0 || t.dur(side, w) > t.dur(side, sum.Longest[s])) {
			sum.Longest[s] = w
		}
	}
	for s, times := range t.timesOf(r) {
		for k, ns := range times {
			sum.others[s] = added(sum.others[s], k, ns)
		}
	}
	sum.lines = append(sum.lines, waits)
}

// addTotals makes a row for each pair of threads of which one waited, or did input or output. The
// runtime's own are left out.
func (t *Table) addTotals([]wait.Row) {
	for k, p := range t.Pair.Threads {
		row := Row{Who: [2]string{t.name(int32(k))}, Roles: t.unsaid(int32(k)), Line: k,
			Longest: [2]int{-1, -1}, others: t.totalsOf(p), Squares: t.plain.squares[k]}
		for s, a := range t.Sides {
			if th := p.On(pair.Side(s)); a != nil && th >= 0 && a.Counts(th) {
				sum := &a.Threads[th]
				row.Count[s], row.WaitNs[s], row.IONs[s] = sum.Waits, sum.WaitNs, sum.IONs
			}
		}
		if row.Count == [2]uint64{} && row.IONs == [2]int64{} {
			continue
		}
		row = t.findable(row, int32(k))
		// Threads of A and of B may have the same id and be no pair.
		switch {
		case p.On(pair.B) < 0:
			row.Key += "\n" + pair.A.String()
		case p.On(pair.A) < 0:
			row.Key += "\n" + pair.B.String()
		}
		if row.IONs != [2]int64{} {
			row.search += "\ni/o"
		}
		t.rows[Totals] = append(t.rows[Totals], row)
	}
}

// named gives a row its key.
func (r Row) named() Row {
	r.Key = strings.Join([]string{r.Title(), r.Roles, r.Object}, "\n")
	r.search = strings.ToLower(r.Key)
	return r
}

// object names what was waited for, or else in what function.
func (t *Table) object(o int32, waits [2]int) string {
	var names []string
	for s, a := range t.Sides {
		if a == nil {
			continue
		}
		name := ""
		if o >= 0 {
			if k := [2]int32{t.objects[o].A, t.objects[o].B}[s]; k >= 0 {
				name = ObjectName(a, trace.ObjectID(k))
			}
		} else if w := waits[s]; w >= 0 {
			name = WaitedIn(a, w)
		}
		if name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return joinNames(names)
}

// joinNames writes two names of one kind with the kind once: "mutex a | b".
func joinNames(names []string) string {
	if len(names) == 2 {
		kind, rest, ok := strings.Cut(names[1], " ")
		if ok && strings.HasPrefix(names[0], kind+" ") {
			return names[0] + " | " + rest
		}
	}
	return strings.Join(names, " | ")
}

// restingState is what a recording calls the waiting of its runtime's own goroutines for work.
const restingState = "system goroutine"

// resting reports whether the longest waits are those of the runtime's own goroutines for work.
func (t *Table) resting(waits [2]int) bool {
	for s, w := range waits {
		if a := t.Sides[s]; a != nil && w >= 0 {
			th := a.Trace.Threads[a.Waits.Thread[w]]
			fn := a.Trace.FunctionOf(th, int(a.Waits.Call[w]))
			return fn.Kind == trace.State && strings.Contains(fn.Name, restingState)
		}
	}
	return false
}

// ShortID leaves out the process of a thread's id.
func ShortID(id string) string {
	if _, thread, ok := strings.Cut(id, "/"); ok && thread != "" {
		return thread
	}
	return id
}

// ObjectName names an object: by its kind and, where its name says more than an address, that; of
// an address the end, which tells objects apart. It is "" for trace.NoObject.
func ObjectName(a *wait.Analysis, o trace.ObjectID) string {
	if o == trace.NoObject {
		return ""
	}
	kind, name := a.Objects[o].Kind.String(), shortObject(a.Trace.Objects[o].Name)
	if strings.HasPrefix(name, kind) {
		return name
	}
	return kind + " " + name
}

// addressDigits are how many digits of an address tell objects apart.
const addressDigits = 4

func shortObject(name string) string {
	if digits, ok := strings.CutPrefix(name, "0x"); ok && len(digits) > addressDigits+2 {
		return "…" + digits[len(digits)-addressDigits:]
	}
	return name
}

// WaitedIn names the call that is wait w, or says before which one a thread was idle.
func WaitedIn(a *wait.Analysis, w int) string {
	name := CalledIn(a, a.Trace.Threads[a.Waits.Thread[w]], int(a.Waits.Call[w]))
	if a.Waits.Idle[w] {
		return "idle before " + name
	}
	return name
}

// CalledIn names a call's function and its caller.
func CalledIn(a *wait.Analysis, th *trace.Thread, call int) string {
	fn, p := a.Trace.FunctionOf(th, call), th.Parent(call)
	switch {
	case p < 0:
		return fn.Name
	case fn.Kind == trace.State:
		return a.Trace.FunctionOf(th, int(p)).Name + " (" + strings.TrimPrefix(fn.Name, "blocked: ") +
			")"
	}
	return fn.Name + " in " + a.Trace.FunctionOf(th, int(p)).Name
}
