package dock

import (
	"context"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/words"
)

// mostMovers is how many packages the findings name.
const mostMovers = 3

// packageChange is a package by name, and by how much its self time changed.
type packageChange struct {
	name string
	ns   int64
}

// foundPackages are the packages that changed most. A job makes the structure tree for it.
var foundPackages = session.Result[*pair.Pair, []packageChange]{
	Slot: "packages", Label: "Comparing packages",
	Key: func(st *session.State) (*pair.Pair, bool) {
		return st.Pair, st.Pair != nil && st.Both() && st.Tab == Findings
	},
	Find: func(ctx context.Context, p *pair.Pair, report progress.Func) ([]packageChange, error) {
		tree, err := structure.New(ctx, p, structure.Options{}, report)
		if err != nil {
			return nil, err
		}
		var all []packageChange
		for _, x := range tree.Movers(mostMovers) {
			all = append(all, packageChange{tree.FullName(x.Node), x.ByNs})
		}
		return all, nil
	},
}

// packagesText names the packages that changed most, such as "Packages that changed most:
// internal/trace +12 ms, fmt −3 ms"; "" while they are not known or if none changed.
func packagesText(st *session.State) string {
	found, _ := foundPackages.Of(st)
	if len(found) == 0 {
		return ""
	}
	var parts []string
	for _, x := range found {
		parts = append(parts, x.name+" "+kit.SignedValue(x.ns, words.UnitOf(st)))
	}
	return "Packages that changed most: " + strings.Join(parts, ", ")
}
