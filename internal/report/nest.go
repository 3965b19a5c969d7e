package report

// Formats of traces know calls by where they begin and end, so the slices of a track must nest and
// come in order of time. Calls do. Levels that are passed through need not: where one of A and one
// of B overlap in part, what the status shows of the later one ends with the earlier (align.Walk).

// nest fits slices into one another. It is a stack of those that are open.
type nest struct {
	ends []int64 // virtual, by depth; they never rise
	now  int64   // the last time at which something began or ended
}

// fit cuts sl, which comes after all that have been fitted, so that it lies in the slice around it
// and begins when what came before it at its depth or below has ended.
func (n *nest) fit(sl *slice) {
	for len(n.ends) > int(sl.depth) {
		last := len(n.ends) - 1
		n.now, n.ends = max(n.now, n.ends[last]), n.ends[:last]
	}
	if sl.depth = uint32(len(n.ends)); sl.depth > 0 {
		around := n.ends[sl.depth-1]
		sl.at, sl.end = min(sl.at, around), min(sl.end, around)
	}
	sl.at = max(sl.at, n.now)
	sl.end = max(sl.end, sl.at)
	n.now, n.ends = sl.at, append(n.ends, sl.end)
}
