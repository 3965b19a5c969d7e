package account

import (
	"diptych/internal/pair"
	"diptych/internal/testtrace"
)

// holdsObjects holds that each function and caller waits for as many objects as its cells name.
func holdsObjects(t testtrace.TB, x *Balance) {
	t.Helper()
	type calls struct{ function, caller uint32 }
	want := map[calls][2]map[int32]bool{}
	for i := range x.Cells {
		c := &x.Cells[i]
		of := calls{c.Function, c.Caller}
		if _, ok := want[of]; !ok {
			want[of] = [2]map[int32]bool{{}, {}}
		}
		for sd, objects := range want[of] {
			if c.Kind == Wait && c.Object >= 0 && c.Amounts[sd].Calls > 0 {
				objects[c.Object] = true
			}
		}
	}
	for of, objects := range want {
		n := [2]int{len(objects[pair.A]), len(objects[pair.B])}
		if got := x.ObjectsOf(of.function, of.caller); got != n {
			t.Fatal("calls of", of.function, "by", of.caller, "wait for", n, "objects, not", got)
		}
	}
}
