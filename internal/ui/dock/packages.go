package dock

import (
	"context"

	"gioui.org/layout"

	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/structure"
	"diptych/internal/typeface"
	"diptych/internal/ui/kit"
	"diptych/internal/ui/view"
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

// packageLines name the packages that changed most, a line each; none while they are not known or
// if none changed.
func packageLines(c *view.Context, st *session.State) []layout.FlexChild {
	found, _ := foundPackages.Of(st)
	if len(found) == 0 {
		return nil
	}
	ink := c.Kit.Caption()
	lines := []layout.FlexChild{label(c, "Packages that changed most", ink)}
	for i, x := range found {
		amount := kit.SignedValue(x.ns, words.UnitOf(st))
		lines = append(lines, layout.Rigid(layout.Spacer{Height: 3}.Layout),
			layout.Rigid(func(gtx C) D {
				return layout.Flex{}.Layout(gtx,
					kit.Wide(func(gtx C) D {
						return c.Kit.Label(gtx, packageName(found, i, c.Kit, gtx), c.Kit.Faint())
					}),
					c.Kit.Cell(deltaWidth, amount, kit.Right(c.Kit.Faint())))
			}))
	}
	return lines
}

// packageName is the name of a package as it fits: where it is cut, what tells it apart from the
// others stays.
func packageName(found []packageChange, i int, k *kit.Kit, gtx C) string {
	name, width, size := found[i].name, float32(gtx.Constraints.Max.X), k.Px(float32(kit.Normal))
	short := typeface.Shorten(name, width, size, false)
	for j := range found {
		if j != i && typeface.Shorten(found[j].name, width, size, false) == short {
			return typeface.Differing(name, found[j].name, width, size, false)
		}
	}
	return short
}
