package report

import (
	"math"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/runs"
	"diptych/internal/trace"
)

// DiffRuns says what several runs a side tell, beside the pair of runs that the rest of the object
// is about.
type DiffRuns struct {
	A        []DiffRun    `json:"a"`
	B        []DiffRun    `json:"b"`
	Level    float64      `json:"level"`    // of intervals
	Smallest float64      `json:"smallest"` // p that so many runs can have
	Enough   bool         `json:"enough"`   // a change can be significant at all
	Needed   DiffNeeded   `json:"needed"`
	Totals   []DiffChange `json:"totals"`
	// Functions are those over all callers and threads, Places are told apart by both.
	Functions []DiffChange `json:"functions"`
	Places    []DiffChange `json:"places"`

	unit    trace.Unit
	profile bool
}

// DiffRun is one recording.
type DiffRun struct {
	Path      string `json:"path"`
	ElapsedNs int64  `json:"elapsedNs"`
	Shown     bool   `json:"shown"` // it stands for its side in the findings
}

// DiffNeeded says how many runs a side it takes for significant changes at 5 %.
type DiffNeeded struct {
	Any      int `json:"any"`      // for one quantity that is tested alone
	Single   int `json:"single"`   // for a change of one function among all that are tested
	Tested   int `json:"tested"`   // functions
	Together int `json:"together"` // with these runs: so many changes must come together

	advice string
}

// DiffChange is one quantity over all runs: times in ns, numbers of calls.
type DiffChange struct {
	Quantity  string           `json:"quantity"`
	Kind      string           `json:"kind,omitzero"` // what the time is spent on
	Function  string           `json:"function,omitzero"`
	Caller    *string          `json:"caller,omitzero"`
	Thread    *string          `json:"thread,omitzero"` // its role
	Median    Both[float64]    `json:"median"`
	Delta     DiffEstimate     `json:"delta"`
	Ratio     *DiffEstimate    `json:"ratio"` // null if a side may have none
	P         float64          `json:"p"`
	Q         float64          `json:"q"`
	Floor     DiffFloor        `json:"floor"`
	Certainty string           `json:"certainty"`
	Values    *Both[[]float64] `json:"values,omitzero"` // by run; of totals alone

	site    runs.Site
	ownTime bool
}

// DiffEstimate is a value with its interval.
type DiffEstimate struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
}

// DiffFloor is how far two runs of one side are apart: as a ratio, at least 1, or in ns or calls.
type DiffFloor struct {
	Typical  float64 `json:"typical"`
	Widest   float64 `json:"widest"`
	Relative bool    `json:"relative"`
}

// NewDiffRuns describes a comparison of the runs of a study; p is the pair that stands for them.
func NewDiffRuns(s *runs.Study, c *runs.Comparison, p *pair.Pair) *DiffRuns {
	d := &DiffRuns{Smallest: runs.Smallest(c.Runs[pair.A], c.Runs[pair.B]), Enough: c.Possible(),
		Level: c.Total[0].Delta.Level, unit: p.Unit(),
		profile: p.Profile(), Functions: diffChanges(c.ByFunction),
		Places: diffChanges(c.ByPlace)}
	for sd, list := range []*[]DiffRun{&d.A, &d.B} {
		for i := range s.Sides[sd] {
			r := &s.Sides[sd][i]
			*list = append(*list, DiffRun{Path: r.Name, ElapsedNs: r.ElapsedNs, Shown: i == c.Shown[sd]})
		}
	}
	for i := range c.Total {
		x := diffChange(&c.Total[i])
		x.Quantity = runs.Totals[i]
		x.Kind = ""
		x.Values = &Both[[]float64]{c.Total[i].Values[pair.A], c.Total[i].Values[pair.B]}
		d.Totals = append(d.Totals, x)
	}
	n := c.Needed()
	d.Needed = DiffNeeded{n.Any, n.Single, n.Tested, n.Together, c.Advice()}
	for i := range d.Places {
		x := &d.Places[i]
		x.Caller, x.Thread = &x.site.Caller, &x.site.Role
	}
	return d
}

func diffChanges(list []runs.Change) []DiffChange {
	out := make([]DiffChange, len(list))
	for i := range list {
		out[i] = diffChange(&list[i])
	}
	return out
}

func diffChange(x *runs.Change) DiffChange {
	d := DiffChange{Quantity: x.Quantity.String(), Kind: x.Site.Word(), Function: x.Site.Function,
		Median: Both[float64]{x.Median[pair.A], x.Median[pair.B]},
		Delta:  DiffEstimate{x.Delta.Value, x.Delta.Low, x.Delta.High}, P: x.P, Q: x.Q,
		Floor: DiffFloor(x.Floor), Certainty: x.Certainty.String(), site: x.Site,
		ownTime: x.OwnTime()}
	r := x.Ratio
	if !slices.ContainsFunc([]float64{r.Value, r.Low, r.High}, func(v float64) bool {
		return v == 0 || math.IsInf(v, 0) || math.IsNaN(v)
	}) {
		d.Ratio = &DiffEstimate{r.Value, r.Low, r.High}
	}
	return d
}

// byChance reports whether a change could be chance.
func (x *DiffChange) byChance() bool { return x.Certainty == runs.Chance.String() }

// Total returns a total by its name in runs.Totals.
func (d *DiffRuns) Total(name string) *DiffChange {
	return &d.Totals[slices.Index(runs.Totals, name)]
}
