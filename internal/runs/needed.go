package runs

import (
	"fmt"
	"math"

	"diptych/internal/account"
)

// Needed is how many runs a side it takes for a change to be significant at Alpha.
type Needed struct {
	Any    int // of one quantity that is tested alone
	Single int // of one function among all that are tested
	Tested int // functions whose own time is tested
	// Together is how many of them must change so that, with the runs there are, any can be
	// significant.
	Together int
}

// Needed returns how many runs it takes.
func (c *Comparison) Needed() Needed {
	n := Needed{Any: enough(Alpha)}
	for i := range c.ByFunction {
		if c.ByFunction[i].OwnTime() {
			n.Tested++
		}
	}
	n.Single = max(enoughFor(Alpha, n.Tested), n.Any)
	n.Together = int(math.Ceil(Smallest(c.Runs[0], c.Runs[1]) * float64(n.Tested) / Alpha))
	return n
}

// OwnTime reports whether a change is of what a function itself does. Idle time is no function's.
func (c *Change) OwnTime() bool {
	return c.Quantity == Time && c.Site.Kind != Whole && c.Site.Kind != account.Idle
}

// Advice says in a sentence or two how many runs it takes.
func (c *Comparison) Advice() string {
	with, n := fmt.Sprintf("With %d and %d runs", c.Runs[0], c.Runs[1]), c.Needed()
	switch {
	case !c.Possible():
		return fmt.Sprintf("%s no change can be significant at 5 %%: take %d.", with, n.Any)
	case n.Together > 1:
		return fmt.Sprintf("%s a change of one function alone, of %d, cannot be significant at 5 %%, "+
			"however large; %d changes together can. Take %d.", with, n.Tested, n.Together, n.Single)
	}
	return with + " a change of one function alone can be significant at 5 %."
}
