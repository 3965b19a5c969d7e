package explain

import (
	"fmt"
	"strings"
	"testing"
)

func TestRows(t *testing.T) {
	d := &Difference{}
	for _, under := range []int{-1, 0, 0, 2, 0, 0, -1, 6, -1} {
		d.Findings = append(d.Findings, Finding{Under: under})
	}
	for _, c := range []struct {
		limit int
		want  string
	}{
		{0, "0 1 2 3 0+2 6 7 8 (0 after)"},
		{4, "0 1 2 3 0+2 (3 after)"},
		{3, "0 1 2 (6 after)"},
		{6, "0 1 2 3 0+2 6 7 (1 after)"},
		{9, "0 1 2 3 0+2 6 7 8 (0 after)"},
	} {
		rows, after := d.Rows(c.limit)
		var b strings.Builder
		for _, r := range rows {
			fmt.Fprint(&b, r.Finding)
			if r.More > 0 {
				fmt.Fprintf(&b, "+%d", r.More)
			}
			b.WriteByte(' ')
		}
		if got := fmt.Sprintf("%s(%d after)", b.String(), after); got != c.want {
			t.Errorf("limit %d: %s, want %s", c.limit, got, c.want)
		}
	}
}
