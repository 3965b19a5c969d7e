package command

import (
	"strings"
	"testing"
)

// more are commands as a view would add them.
var more = []Command{{ID: "more", Title: "More", Keys: []string{"Ctrl-M"}, Group: "View"},
	{ID: "tab", Title: "Tab", Keys: []string{"Alt-M"}, Group: Show},
	{ID: "less", Title: "Less", Group: "View"}}

func TestTableIsConsistent(t *testing.T) {
	table := NewTable(more)
	ids, keys := map[ID]bool{}, map[string]ID{}
	for _, c := range table.All {
		if ids[c.ID] {
			t.Errorf("%s stands in the table twice", c.ID)
		}
		ids[c.ID] = true
		if c.Title == "" || c.Group == "" {
			t.Errorf("%s lacks a title or a group", c.ID)
		}
		for _, k := range c.Keys {
			if other, taken := keys[k]; taken {
				t.Errorf("%s is bound to %s and %s", k, other, c.ID)
			}
			keys[k] = c.ID
			if got, ok := table.ByKey(k); !ok || got.ID != c.ID {
				t.Errorf("ByKey(%q) = %v", k, got)
			}
		}
		if table.Get(c.ID).Title != c.Title {
			t.Errorf("Get(%s) is another command", c.ID)
		}
	}
	if table.Get("nothing") != nil {
		t.Error("there is a command called nothing")
	}
}

// TestGroupsStayTogether: the commands of a view come before what all views show, and no group is torn
// apart.
func TestGroupsStayTogether(t *testing.T) {
	seen, last := map[Group]bool{}, Group("")
	for _, c := range NewTable(more).All {
		if c.Group != last && seen[c.Group] {
			t.Errorf("%s stands apart from the rest of %s", c.ID, c.Group)
		}
		seen[c.Group], last = true, c.Group
	}
	if !seen["View"] || last != Show {
		t.Errorf("the last group is %s", last)
	}
}

func TestMarkdownListsEveryKey(t *testing.T) {
	table := NewTable(more)
	text := table.Markdown()
	for _, c := range table.All {
		for _, k := range c.Keys {
			if !strings.Contains(text, "`"+k+"`") {
				t.Errorf("the manual lacks %s for %s", k, c.ID)
			}
		}
	}
}
