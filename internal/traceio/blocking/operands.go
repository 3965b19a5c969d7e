package blocking

import (
	"fmt"
	"slices"
)

// numbering numbers operands in the order of their first mention.
type numbering struct {
	list  []operand
	index map[operand]int32 // nil as long as there is none
}

// operand is an object before it is known whether its name suffices: an address or a descriptor
// means something in one process only.
type operand struct {
	name    string
	process int32 // −1 if the name means the same everywhere
}

func (p *numbering) number(o operand) int32 {
	n, ok := p.index[o]
	if !ok {
		n = p.add(o)
	}
	return n
}

// add gives a new operand its number.
func (p *numbering) add(o operand) int32 {
	n := int32(len(p.list))
	p.list = append(p.list, o)
	if p.index == nil {
		p.index = map[operand]int32{}
	}
	p.index[o] = n
	return n
}

// find returns the number of an operand, if it has one. A name that is not a string yet does not
// become one for that.
func (p *numbering) find(name []byte, process int32) (int32, bool) {
	n, ok := p.index[operand{string(name), process}]
	return n, ok
}

// names names all operands: where several processes have an equal address or descriptor, with the
// process.
func (p *pass) names() []string {
	owners := p.owners()
	names := make([]string, len(p.list))
	for i, o := range p.list {
		names[i] = o.name
		if owners[o.name] > 1 && o.process >= 0 {
			owner := p.tr.Processes[o.process]
			names[i] = fmt.Sprintf("%s (%s %s)", o.name, owner.Name, owner.ID)
			if owner.Name == owner.ID {
				names[i] = fmt.Sprintf("%s (%s)", o.name, owner.ID)
			}
		}
	}
	return names
}

// owners counts the processes that have an operand of a name. It counts none if there is only one
// process: then no name is that of two operands.
func (p *pass) owners() map[string]int {
	other := func(o operand) bool { return o.process != p.list[0].process }
	if !slices.ContainsFunc(p.list, other) {
		return nil
	}
	owners := make(map[string]int, len(p.list))
	for _, o := range p.list {
		owners[o.name]++
	}
	return owners
}
