package finding

import "strings"

// Spans carry arguments in their names: a build has a span "compile fmt", another "compile
// net/http", and so on for each package. A change of the compiler would be told a hundred times.
// So names that begin with the same word and go on with data are one function in all stages after
// reorder.go.

const (
	leastFamily = 8     // the least number of arguments
	dataMarks   = "/.@" // most arguments must hold one of these, as paths and versions do
)

// findFamilies makes one function of spans that differ only in their arguments.
func (s *study) findFamilies() error {
	if s.p.A.Symbols || s.p.B.Symbols {
		return nil
	}
	type family struct {
		first   uint32
		members []uint32
		data    int // members whose argument holds a data mark
	}
	families := map[string]*family{}
	for id, name := range s.p.Names {
		head, argument, ok := span(name)
		if !ok || s.same[id] != uint32(id) || s.taken[uint32(id)] {
			continue
		}
		f := families[head]
		if f == nil {
			f = &family{first: uint32(id)}
			families[head] = f
		}
		f.members = append(f.members, uint32(id))
		f.data += toInt(argument[0] == '(' || strings.ContainsAny(argument, dataMarks))
	}
	for head, f := range families {
		if len(f.members) < leastFamily || 2*f.data < len(f.members) {
			continue
		}
		s.names[f.first], s.family[f.first] = head+" …", true
		for _, id := range f.members {
			s.same[id] = f.first
		}
	}
	for id, to := range s.same { // a renamed function may have become a member
		s.same[id] = s.same[to]
	}
	return nil
}

// span splits the name of a span into its head and its argument: "compile" and "fmt".
func span(name string) (head, argument string, ok bool) {
	if i := strings.Index(name, " ("); i > 0 {
		return name[:i], name[i+1:], true
	}
	head, argument, ok = strings.Cut(name, " ")
	return head, argument, ok && head != "" && argument != ""
}
