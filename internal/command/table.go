package command

import (
	"fmt"
	"slices"
	"strings"
)

// Table is the commands of the window and of all views. No two share an id or a key.
type Table struct {
	All   []Command // grouped, in the order the keys page shows them
	byKey map[string]*Command
	byID  map[ID]*Command
}

// NewTable returns the window's own commands with those of the views before the group Show, which
// begins with those that views add to it.
func NewTable(views ...[]Command) *Table {
	shown := func(c Command) bool { return c.Group == Show }
	at, added := slices.IndexFunc(Shell, shown), slices.Concat(views...)
	all := slices.Concat(Shell[:at], slices.DeleteFunc(slices.Clone(added), shown),
		slices.DeleteFunc(added, func(c Command) bool { return !shown(c) }), Shell[at:])
	t := &Table{all, map[string]*Command{}, map[ID]*Command{}}
	for i := range t.All {
		c := &t.All[i]
		t.byID[c.ID] = c
		for _, k := range c.Keys {
			t.byKey[k] = c
		}
	}
	return t
}

// ByKey returns the command bound to a key spelled like "Ctrl-Shift-P".
func (t *Table) ByKey(key string) (*Command, bool) {
	c, ok := t.byKey[key]
	return c, ok
}

// Get returns the command with the given id, or nil.
func (t *Table) Get(id ID) *Command { return t.byID[id] }

// Markdown writes the table for the manual.
func (t *Table) Markdown() string {
	var b strings.Builder
	var group Group
	for _, c := range t.All {
		if len(c.Keys) == 0 {
			continue
		}
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, "\n| %s | |\n| --- | --- |\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", "`"+strings.Join(c.Keys, "`, `")+"`", c.Title)
	}
	return strings.TrimSpace(b.String())
}
