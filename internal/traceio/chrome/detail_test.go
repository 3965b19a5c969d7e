package chrome

import (
	"testing"
)

// TestDetail holds that complete calls whose detail is a path are in that file, under their own
// name, and that other details change nothing.
func TestDetail(t *testing.T) {
	tr := mustLoad(t, `[
		{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"Source",
			"args":{"detail":"/usr/include/a.h"}},
		{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"Source",
			"args":{"detail":"src/b.h:12:3"}},
		{"ph":"X","pid":1,"tid":1,"ts":3,"dur":2,"name":"Source",
			"args": {"detail": "src/b.h"}},
		{"ph":"X","pid":1,"tid":1,"ts":10,"dur":2,"name":"Instantiate",
			"args":{"detail":"std::a<b/c.h>"}},
		{"ph":"X","pid":1,"tid":1,"ts":20,"dur":2,"name":"RunPass",
			"args":{"detail":"Loop Unroll"}},
		{"ph":"X","pid":1,"tid":1,"ts":30,"dur":2,"name":"Opt",
			"args":{"detail":"luaV_execute"}},
		{"ph":"B","pid":1,"tid":1,"ts":40,"name":"Read","args":{"detail":"/etc/c.h"}},
		{"ph":"E","pid":1,"tid":1,"ts":41,"name":"Read"}]`, 1<<16)
	th := tr.Threads[0]
	want := [][2]string{{"Source", "/usr/include/a.h"}, {"Source", "src/b.h"},
		{"Source", "src/b.h"}, {"Instantiate", ""}, {"RunPass", ""}, {"Opt", ""}, {"Read", ""}}
	for i, w := range want {
		if f := tr.FunctionOf(th, i); f.Name != w[0] || f.File != w[1] {
			t.Errorf("call %d is %s in %q, want %s in %q", i, f.Name, f.File, w[0], w[1])
		}
	}
	if th.Fn[1] != th.Fn[2] {
		t.Error("two functions of one file")
	}
}

// TestProcessesAreNamedByWhatTheyShow: by their labels, else by the last page of their main frame.
func TestProcessesAreNamedByWhatTheyShow(t *testing.T) {
	tr := mustLoad(t, `[{"ph":"M","name":"process_name","pid":1,"args":{"name":"Renderer"}},
		{"ph":"X","name":"f","ts":0,"pid":1,"tid":1},
		{"ph":"I","name":"CommitLoad","ts":1,"pid":1,"tid":1,"args":{"data":{"isMainFrame":true,"url":"http://a/"}}},
		{"ph":"I","name":"CommitLoad","ts":2,"pid":1,"tid":1,"args":{"data":{"isMainFrame":true,"url":"http://b/"}}},
		{"ph":"I","name":"CommitLoad","ts":3,"pid":1,"tid":1,"args":{"data":{"isMainFrame":false,"url":"http://ad/"}}},
		{"ph":"I","name":"CommitLoad","ts":4,"pid":1,"tid":1,"args":{"data":{"isMainFrame":true,"url":"about:blank"}}},
		{"ph":"X","name":"f","ts":0,"pid":2,"tid":2},
		{"ph":"I","name":"CommitLoad","ts":2,"pid":2,"tid":2,"args":{"data":{"isMainFrame":true,"url":"http://c/"}}},
		{"ph":"M","name":"process_labels","pid":2,"args":{"labels":"Inbox"}}]`, 1<<20)
	for k, want := range []string{"Renderer http://b/", "2 Inbox"} {
		if got := tr.Processes[k].Title(); got != want {
			t.Errorf("process %d is %q, want %q", k, got, want)
		}
	}
}
