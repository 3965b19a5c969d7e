package batch

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestColumnsAreDocumented holds that docs/batch.md has the columns of each table, in their order.
func TestColumnsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/batch.md")
	if err != nil {
		t.Fatal(err)
	}
	for table, row := range map[string]any{"pairs": PairRow{}, "functions": FunctionRow{},
		"findings": FindingRow{}, "waits": WaitRow{}, "timeline": TimelineRow{},
		functionsBy: FunctionTotal{}, findingsBy: FindingTotal{}} {
		_, section, _ := strings.Cut(string(text), "\n### "+table+"\n")
		section, _, _ = strings.Cut(section, "\n#")
		if got, want := documented(section), tagged(row, "parquet"); !slices.Equal(got, want) {
			t.Errorf("%s: documented are the columns\n%v, but it has\n%v", table, got, want)
		}
	}
	_, section, _ := strings.Cut(string(text), "\n## The totals\n")
	section, _, _ = strings.Cut(section, "\n#")
	if got, want := documented(section), tagged(Totals{}, "json"); !slices.Equal(got, want) {
		t.Errorf("totals.json: documented are the keys\n%v, but it has\n%v", got, want)
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// documented returns the names in the first column of the tables of some Markdown.
func documented(section string) (names []string) {
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 || cells[0] != "" {
			continue
		}
		for _, m := range quoted.FindAllStringSubmatch(cells[1], -1) {
			names = append(names, m[1])
		}
	}
	return names
}

// tagged returns the names that a struct's fields have by their tags.
func tagged(row any, key string) (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeOf(row)) {
		if name, _, _ := strings.Cut(f.Tag.Get(key), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}
