package table

import (
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/wait"
)

// Nobody stands for who ended waits that nothing ended.
const Nobody = "nobody"

// nameThreads names each pair of threads: by what they are called in every run, if no other pair
// that the table tells of is called so, and else by A's id, and by B's where that is another.
func (t *Table) nameThreads(all []wait.Row) {
	t.names, t.numbered = make([]string, len(t.Pair.Threads)), make([]bool, len(t.Pair.Threads))
	told := make([]bool, len(t.names))
	for i := range all {
		told[all[i].Waiter] = true
		if by := all[i].Releaser; by >= 0 {
			told[by] = true
		}
	}
	called := map[string]int{}
	for k, p := range t.Pair.Threads {
		t.names[k] = t.commonName(k)
		if told[k] || t.communicates(p) {
			called[t.names[k]]++
		}
	}
	for k, name := range t.names {
		if t.numbered[k] = name == "" || called[name] > 1; t.numbered[k] {
			t.names[k] = t.idsOf(k)
		}
	}
}

// communicates reports whether threads of a pair did input or output.
func (t *Table) communicates(p pair.ThreadPair) bool {
	for s, a := range t.Sides {
		if th := p.On(pair.Side(s)); a != nil && th >= 0 && a.Threads[th].IONs > 0 {
			return true
		}
	}
	return false
}

// commonName returns what the threads of a line are called in every run, or "" if that differs.
func (t *Table) commonName(line int) string {
	name := ""
	for _, s := range []pair.Side{pair.A, pair.B} {
		th := t.Pair.Threads[line].On(s)
		if th < 0 {
			continue
		}
		own := t.Pair.Trace(s).Threads[th].CommonName()
		if own == "" || name != "" && own != name {
			return ""
		}
		name = own
	}
	return name
}

// idsOf returns the ids of a line, as in "21|17".
func (t *Table) idsOf(line int) string {
	var ids []string
	for _, s := range []pair.Side{pair.A, pair.B} {
		if th := t.Pair.Threads[line].On(s); th >= 0 {
			if id := ShortID(t.Pair.Trace(s).Threads[th].ID); !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	return strings.Join(ids, "|")
}

// name names a line.
func (t *Table) name(line int32) string {
	if line < 0 {
		return Nobody
	}
	return t.names[line]
}

// unsaid returns what the threads of a line are to their program if their name does not say it.
func (t *Table) unsaid(line int32) string {
	if line < 0 || !t.numbered[line] {
		return ""
	}
	return t.role(line)
}

// role returns what the threads of a line are to their program, or "".
func (t *Table) role(line int32) string {
	if line < 0 {
		return ""
	}
	for _, s := range []pair.Side{pair.A, pair.B} {
		if th := t.Pair.Threads[line].On(s); th >= 0 {
			if role := t.Pair.Trace(s).Threads[th].Role; role != "" {
				return role
			}
		}
	}
	return ""
}

func (t *Table) roleOrName(line int32) string {
	if r := t.role(line); r != "" {
		return r
	}
	return t.name(line)
}

// findable is Row.named, and has a filter find the row also by the ids and roles of lines that have
// better names.
func (t *Table) findable(r Row, lines ...int32) Row {
	r = r.named()
	for _, k := range lines {
		if k >= 0 && !t.numbered[k] {
			r.search += "\n" + strings.ToLower(t.idsOf(int(k))+"\n"+t.role(k))
		}
	}
	return r
}
