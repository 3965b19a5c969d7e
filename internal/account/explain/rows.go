package explain

import "fmt"

// What a list of findings shows. A function that is called more often has many callees that are
// called more often, too; the largest of them say enough.

// mostFollowers is how many findings are shown under a cause.
const mostFollowers = 3

// Row is a line of a list: a finding, or how many more follow from the cause above.
type Row struct {
	Finding int // index into Difference.Findings
	More    int // 0 for a finding; else how many more follow from the finding of this index

	Title string // of the section that begins here, or ""
}

// Rows returns the lines for at most so many findings (all if the limit is not positive), and the
// number of findings that come after them.
func (d *Difference) Rows(limit int) (rows []Row, after int) {
	shown, cause, under, section := 0, 0, 0, Timed
	for i := range d.Findings {
		if under++; d.Findings[i].Under < 0 {
			cause, under = i, 0
		}
		if under > mostFollowers {
			if under == mostFollowers+1 {
				rows = append(rows, Row{Finding: cause})
			}
			rows[len(rows)-1].More++
			continue
		}
		if limit > 0 && shown == limit {
			return rows, len(d.Findings) - i
		}
		shown++
		row := Row{Finding: i}
		if f := &d.Findings[i]; f.Under < 0 && f.Section != section {
			section = f.Section
			row.Title = titles[section]
		}
		rows = append(rows, row)
	}
	return rows, 0
}

// MoreFollow says how many more findings follow from the cause above.
func MoreFollow(n int) string {
	if n == 1 {
		return "… 1 more follows from it."
	}
	return fmt.Sprintf("… %d more follow from it.", n)
}
