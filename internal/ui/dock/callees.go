package dock

import (
	"context"
	"slices"
	"sort"

	"diptych/internal/progress"
	"diptych/internal/session"
	"diptych/internal/trace"
)

// A call may have millions of children, and its self time is its duration without theirs. If there
// are many calls below the selected one, its children are read in a job. Otherwise they are read at
// once, so that the details of most calls are complete in the frame after the click.

// readAtOnce is how many calls there may be below a call whose children are read without a job.
const readAtOnce = 1 << 12

// callees are what the details say of the children of a call.
type callees struct {
	direct  int   // how many there are
	self    int64 // ns; the duration of the call without theirs
	longest []int // mostCallees of them, in order of falling duration
}

// calleesOf names a call with many calls below it. The zero value stands for any other.
type calleesOf struct {
	thread *trace.Thread
	call   int
}

var foundCallees = session.Result[calleesOf, *callees]{
	Slot: "callees", Label: "Reading callees",
	// The zero key is wanted too: what is kept of a call goes when another one is selected.
	Key: func(st *session.State) (calleesOf, bool) { return manyCallees(st), true },
	Find: func(ctx context.Context, of calleesOf, _ progress.Func) (*callees, error) {
		if of.thread == nil {
			return nil, nil
		}
		return readCallees(ctx, of.thread, of.call)
	},
}

// Wants are the results that the dock needs of the session.
func Wants() []session.Wanted {
	return []session.Wanted{foundCallees.Wanted(), foundPackages.Wanted(),
		foundFunctions.Wanted(), foundRange.Wanted(), foundDurations.Wanted(), foundCalls.Wanted(),
		foundAdvice.Wanted(), foundMatrix.Wanted()}
}

// manyCallees returns the selected call if its children are to be read in a job.
func manyCallees(st *session.State) calleesOf {
	if !st.Selected.OK || !st.Loaded(st.Selected.Side) {
		return calleesOf{}
	}
	th, i := st.Call(st.Selected)
	if int(th.Size(i)) <= readAtOnce {
		return calleesOf{}
	}
	return calleesOf{th, i}
}

// calleesOfSelected returns what is known of the children of the selected call, nil until they have
// been read.
func calleesOfSelected(st *session.State) *callees {
	if manyCallees(st) != (calleesOf{}) {
		found, _ := foundCallees.Of(st)
		return found
	}
	th, i := st.Call(st.Selected)
	found, _ := readCallees(context.Background(), th, i) // which is never cancelled
	return found
}

// readCallees goes through the children of call i.
func readCallees(ctx context.Context, th *trace.Thread, i int) (*callees, error) {
	found := &callees{self: th.Dur(i)}
	var err error
	th.Children(i, func(c int) bool {
		if found.direct%(1<<16) == 0 {
			err = ctx.Err()
		}
		found.direct++
		found.self -= th.Dur(c)
		found.keepLongest(th, c)
		return err == nil
	})
	return found, err
}

// keepLongest adds call c to the longest if it is one of them.
func (x *callees) keepLongest(th *trace.Thread, c int) {
	at := sort.Search(len(x.longest), func(k int) bool { return th.Dur(x.longest[k]) < th.Dur(c) })
	if at < mostCallees {
		x.longest = slices.Insert(x.longest, at, c)
		x.longest = x.longest[:min(len(x.longest), mostCallees)]
	}
}
