package command

import (
	"os"
	"strings"
	"testing"
)

func TestTableIsConsistent(t *testing.T) {
	ids, keys := map[ID]bool{}, map[string]ID{}
	for _, c := range All {
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
			if got, ok := ByKey(k); !ok || got.ID != c.ID {
				t.Errorf("ByKey(%q) = %v", k, got)
			}
		}
		if Get(c.ID).Title != c.Title {
			t.Errorf("Get(%s) is another command", c.ID)
		}
	}
}

func TestManualHasTheTable(t *testing.T) {
	manual, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(manual), Markdown()) {
		t.Errorf("README.md should hold this table of keys:\n%s", Markdown())
	}
}

func TestMarkdownListsEveryKey(t *testing.T) {
	text := Markdown()
	for _, c := range All {
		for _, k := range c.Keys {
			if !strings.Contains(text, "`"+k+"`") {
				t.Errorf("the manual lacks %s for %s", k, c.ID)
			}
		}
	}
}
