package finding

import "strings"

// Spans carry arguments in their names: a build has one "compile fmt" and one "compile net/http" for
// each package. What changed by the same reason is told of all of them at once: names that begin
// alike and go on with data are one function here, once what moved is known.

const (
	leastFamily = 8     // arguments
	dataMarks   = "/.@" // what shows that most of them are data
)

// findFamilies makes spans that differ in their arguments one function.
func (s *study) findFamilies() error {
	if s.p.A.Symbols || s.p.B.Symbols {
		return nil
	}
	type family struct {
		first   uint32
		members []uint32
		data    int // members whose argument is data
	}
	families := map[string]*family{}
	for id, name := range s.p.Names {
		head, argument, ok := span(name)
		if !ok || s.same[id] != uint32(id) {
			continue
		}
		f := families[head]
		if f == nil {
			f = &family{first: uint32(id)}
			families[head] = f
		}
		f.members = append(f.members, uint32(id))
		f.data += bit(argument[0] == '(' || strings.ContainsAny(argument, dataMarks))
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
	for id, to := range s.same { // a renamed function may have joined one
		s.same[id] = s.same[to]
	}
	return nil
}

// span splits a name into what it begins with and its argument.
func span(name string) (head, argument string, ok bool) {
	if i := strings.Index(name, " ("); i > 0 {
		return name[:i], name[i+1:], true
	}
	head, argument, ok = strings.Cut(name, " ")
	return head, argument, ok && head != "" && argument != ""
}
