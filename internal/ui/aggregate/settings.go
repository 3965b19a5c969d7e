package aggregate

import (
	"fmt"
	"strconv"

	"diptych/internal/aggregate"
	"diptych/internal/session"
	"diptych/internal/ui/view"
)

// settings are the keys of --set that say what is aggregated and how it is shown.
func settings() []view.Setting {
	set := func(f func(*Own)) func(*session.Session) {
		return func(s *session.Session) { change(s, f) }
	}
	return []view.Setting{
		{Key: "states", Help: "function, package or blocking: the states of threads in the aggregation",
			Early: true, Apply: setStates},
		{Key: "resources", Help: "threads or code: what is aggregated", Early: true, Apply: view.Choices{
			"threads": set(func(o *Own) { byCode(o, false) }),
			"code":    set(func(o *Own) { byCode(o, true) }),
		}.Apply},
		{Key: "slices", Help: "timeslices of the aggregation, 1 to 1000", Early: true,
			Apply: func(s *session.Session, v string) error {
				n, err := strconv.Atoi(v)
				if err != nil || n < aggregate.FewestSlices || n > aggregate.MostSlices {
					return fmt.Errorf("want a number from %d to %d", aggregate.FewestSlices,
						aggregate.MostSlices)
				}
				setSlices(s, n)
				return nil
			}},
		{Key: "slices-of", Help: "share or virtual: timeslices of equal shares of each run, or of virtual time",
			Early: true, Apply: view.Choices{
				"share":   set(func(o *Own) { o.Virtual = false }),
				"virtual": set(func(o *Own) { o.Virtual = true }),
			}.Apply},
		{Key: "operator", Help: "sum or mean: how the values of cells become that of an aggregate",
			Early: true, Apply: view.Choices{
				"sum":  set(func(o *Own) { o.Operator = aggregate.Sum }),
				"mean": set(func(o *Own) { o.Operator = aggregate.Mean }),
			}.Apply},
		{Key: "p", Help: "best, or from 0 (exact) to 1 (simple): detail of the aggregation", Early: true,
			Apply: func(s *session.Session, v string) error {
				if v == "best" {
					best(s)
					return nil
				}
				p, err := view.ParseShare(v)
				if err != nil {
					return fmt.Errorf("want best or a number from 0 to 1")
				}
				setP(s, p)
				return nil
			}},
		{Key: "aggregates", Help: "all, sides or difference: the plots of the aggregation", Early: true,
			Apply: view.Choices{
				"all":        set(func(o *Own) { o.Show = ShowAll }),
				"sides":      set(func(o *Own) { o.Show = ShowSides }),
				"difference": set(func(o *Own) { o.Show = ShowDifference }),
			}.Apply},
		{Key: "fold-below", Help: "height of a row, dp, below which the aggregation folds it with others",
			Early: true, Apply: view.Number(func(s *session.Session, v float64) {
				change(s, func(o *Own) { o.Least = float32(max(v, 1)) })
			})},
	}
}

func setStates(s *session.Session, v string) error {
	k, ok := aggregate.ParseStates(v)
	if !ok {
		return fmt.Errorf("want function, package or blocking")
	}
	change(s, func(o *Own) { o.States = k })
	return nil
}
