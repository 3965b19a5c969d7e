package chrome

import (
	"math"
	"strconv"

	"diptych/internal/trace"
)

// count records the values of a counter event. Each argument is a series of its own, called
// counter.series, or just counter if the series is "value"; counters with an id are told apart by
// it.
func (f *feed) count(t *batch, r *record) {
	f.b.Observe(r.at)
	process := f.b.Process(plain(f.key(t, r).pid))
	name := nameOf(t, r)
	if id, _ := f.id(t, &t.more[r.more]); len(id) > 0 {
		name += "[" + text(id) + "]"
	}
	for series, value := range members(t.text(r.args)) {
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			f.b.Diagnose(trace.BadRecord, 1, "counter %s: %s is no number", name, series)
			continue
		}
		key := name
		if s := text(series); s != "value" {
			key += "." + s
		}
		f.b.Count(process, key, r.at, v)
	}
}
