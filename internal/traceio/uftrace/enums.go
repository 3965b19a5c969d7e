package uftrace

import (
	"slices"
	"strconv"
	"strings"
)

// enums are enumerations by name, each by falling value.
type enums map[string][]enumerator

type enumerator struct {
	name  string
	value int64
}

// defineAll reads definitions in C's syntax, each ended by a semicolon.
func (e enums) defineAll(text string) {
	for part := range strings.SplitSeq(text, ";") {
		e.define(part)
	}
}

// define reads `enum NAME { A, B = 4, … }`. Values are numbers; the first definition of a name
// counts.
func (e enums) define(text string) {
	head, body, ok := strings.Cut(text, "{")
	name, isEnum := strings.CutPrefix(strings.TrimSpace(head), "enum ")
	name = strings.TrimSpace(name)
	if !ok || !isEnum || e[name] != nil {
		return
	}
	body, _, _ = strings.Cut(body, "}")
	var list []enumerator
	next := int64(0)
	for item := range strings.SplitSeq(body, ",") {
		id, value, given := strings.Cut(item, "=")
		if id = strings.TrimSpace(id); id == "" {
			continue
		}
		if given {
			v, err := strconv.ParseInt(strings.TrimSpace(value), 0, 64)
			if err != nil {
				continue
			}
			next = v
		}
		list = append(list, enumerator{id, next})
		next++
	}
	slices.SortStableFunc(list, func(x, y enumerator) int {
		switch {
		case x.value > y.value:
			return -1
		case x.value < y.value:
			return 1
		}
		return 0
	})
	e[name] = list
}

// format spells v: one name, or names joined by | and what is left over in hexadecimal, or the
// number.
func (e enums) format(name string, v int64) string {
	list := e[name]
	for _, c := range list {
		if c.value == v {
			return c.name
		}
	}
	var parts []string
	rest := v
	for _, c := range list {
		if c.value <= rest && rest != 0 && c.value != 0 {
			rest -= c.value
			parts = append(parts, c.name)
		}
	}
	switch {
	case len(parts) == 0:
		return strconv.FormatInt(v, 10)
	case rest != 0:
		return strings.Join(parts, "|") + "+0x" + strconv.FormatInt(rest, 16)
	}
	return strings.Join(parts, "|")
}
