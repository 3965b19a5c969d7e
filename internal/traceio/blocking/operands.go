package blocking

import (
	"fmt"
	"slices"
)

// numbering numbers operands in the order of their first mention.
type numbering struct {
	list  []operand
	index map[operand]int32 // nil as long as there are few
}

// fewOperands is how many operands are looked through one by one. Most of thousands of threads have
// no more, and a map for each costs more than all else that is done with them.
const fewOperands = 8

// operand is an object before it is known whether its name suffices: an address or a descriptor
// means something in one process only.
type operand struct {
	name    string
	process int32 // −1 if the name means the same everywhere
}

func (p *numbering) number(o operand) int32 {
	n, ok := p.find(o)
	if !ok {
		n = p.add(o)
	}
	return n
}

// add gives a new operand its number.
func (p *numbering) add(o operand) int32 {
	n := int32(len(p.list))
	p.list = append(p.list, o)
	switch {
	case p.index != nil:
		p.index[o] = n
	case len(p.list) > fewOperands:
		p.index = map[operand]int32{}
		for k, one := range p.list {
			p.index[one] = int32(k)
		}
	}
	return n
}

func (p *numbering) find(o operand) (int32, bool) {
	if p.index == nil {
		k := slices.Index(p.list, o)
		return int32(k), k >= 0
	}
	n, ok := p.index[o]
	return n, ok
}

// findNamed is find for a name that is not a string yet, and makes none.
func (p *numbering) findNamed(name []byte, process int32) (int32, bool) {
	if p.index == nil {
		for k := range p.list {
			if o := &p.list[k]; o.process == process && o.name == string(name) {
				return int32(k), true
			}
		}
		return 0, false
	}
	n, ok := p.index[operand{string(name), process}]
	return n, ok
}

// names names all operands: where several processes have an equal address or descriptor, with the
// process.
func (p *pass) names() []string {
	owners := map[string]int{}
	for _, o := range p.list {
		owners[o.name]++
	}
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
