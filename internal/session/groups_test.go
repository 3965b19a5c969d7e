package session

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/pair"
	"diptych/internal/traceio/text/texttest"
)

// TestGroupsThatNothingListsAreNotLookedFor checks that they are neither at first nor after a change,
// that a list that is hidden ends the search, and that one that is shown again needs none.
func TestGroupsThatNothingListsAreNotLookedFor(t *testing.T) {
	s := compared(t)
	looks := func() bool { return s.job(s.slotFor(groupsSlot)) != nil }
	list := s.State().Found.Groups
	s.SetTab("")
	s.SetTab(GroupsTab)
	if looks() || cmp.Diff(list, s.State().Found.Groups) != "" {
		t.Error("groups that are known are looked for again")
	}
	s.SetTau(63)
	s.SetTab("")
	if looks() || s.State().Found.Groups.Busy {
		t.Error("groups are still looked for when the list is hidden")
	}
	s.Zoom(pair.A, 1000, 0.9)
	if looks() {
		t.Error("a hidden list looks for groups")
	}
	s.SetTab(GroupsTab)
	if !looks() {
		t.Error("the groups of what changed meanwhile are not looked for")
	}
	s.Settle(context.Background())
	s.checkFound(t)
}

// TestGroupsListedWithoutSumsGetThem checks that they do while they are listed, and only then.
func TestGroupsListedWithoutSumsGetThem(t *testing.T) {
	s := compared(t)
	s.SetTab("")
	s.apply(func(st *State) {
		st.amend(st.Found.of, func(f *Found) {
			f.Groups.List, f.Groups.Summed = slices.Clone(f.Groups.List), false
			for i := range f.Groups.List {
				f.Groups.List[i].Matches, f.Groups.List[i].Similarity = 0, 0
			}
		})
	})
	if len(s.Jobs()) > 0 {
		t.Error("groups are summed up that nothing lists")
	}
	s.SetTab(GroupsTab)
	if s.job(s.slotFor(sumsSlot)) == nil || s.job(s.slotFor(groupsSlot)) != nil {
		t.Error("groups that are known are not just summed up")
	}
	s.Settle(t.Context())
	s.checkFound(t)
}

// TestGroupsOfASideWithoutCalls checks that there are none, which is known and not still looked for.
func TestGroupsOfASideWithoutCalls(t *testing.T) {
	s := New(func() {})
	s.Put(pair.A, "a", texttest.Parse(t, "trace text\nthread 1\n"))
	s.Put(pair.B, "b", texttest.Parse(t, "trace text\nthread 1\n  0+3 load\n"))
	s.SetTab(GroupsTab)
	s.Settle(t.Context())
	if g := s.State().Found.Groups; g.Of != s.State().GroupsShown() || g.Total != 0 || g.Busy {
		t.Errorf("%+v", g)
	}
}
