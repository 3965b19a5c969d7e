package words

import (
	"diptych/internal/ui/kit"
	"diptych/internal/wait"
)

// StatesTip is what the tooltip says of a time: how many threads are in each state then, and what
// the thread in the middle does, if it does anything.
func StatesTip(a *wait.Analysis, at int64, n [wait.NumStates]int, focus wait.State, ok bool) []string {
	lines := []string{"at " + TimeText(a, at)}
	for s, count := range n {
		lines = append(lines, kit.Grouped(count)+" "+phrase(wait.State(s), count))
	}
	if ok {
		lines = append(lines, "the thread in the middle: "+focus.String())
	}
	return lines
}

// phrase says of threads that they are in a state.
func phrase(s wait.State, n int) string {
	noun := "threads "
	if n == 1 {
		noun = "thread "
	}
	if s == wait.InIO {
		return noun + "in I/O"
	}
	return noun + s.String()
}
