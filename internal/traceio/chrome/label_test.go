package chrome

import "testing"

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
