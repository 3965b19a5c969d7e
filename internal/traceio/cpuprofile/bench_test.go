package cpuprofile

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/traceio/loadtest"
)

// written is a profile with all that V8 writes, in its order.
type written struct {
	Nodes      []*writtenNode `json:"nodes"`
	StartTime  int64          `json:"startTime"`
	EndTime    int64          `json:"endTime"`
	Samples    []int          `json:"samples"`
	TimeDeltas []int64        `json:"timeDeltas"`
}

type writtenNode struct {
	ID        int           `json:"id"`
	CallFrame writtenFrame  `json:"callFrame"`
	HitCount  int           `json:"hitCount"`
	Children  []int         `json:"children,omitempty"`
	Ticks     []writtenTick `json:"positionTicks,omitempty"`
}

type writtenFrame struct {
	FunctionName string `json:"functionName"`
	ScriptID     string `json:"scriptId"`
	URL          string `json:"url"`
	LineNumber   int    `json:"lineNumber"`
	ColumnNumber int    `json:"columnNumber"`
}

type writtenTick struct {
	Line  int `json:"line"`
	Ticks int `json:"ticks"`
}

// older is a node as older DevTools write it.
type older struct {
	FunctionName string   `json:"functionName"`
	ScriptID     string   `json:"scriptId"`
	URL          string   `json:"url"`
	LineNumber   int      `json:"lineNumber"`
	ColumnNumber int      `json:"columnNumber"`
	HitCount     int      `json:"hitCount"`
	CallUID      int      `json:"callUID"`
	Children     []*older `json:"children"`
	DeoptReason  string   `json:"deoptReason"`
	ID           int      `json:"id"`
	Ticks        []int    `json:"positionTicks"`
}

func encoded(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

// long is a recorded profile so many times in a row. Every twentieth time the same functions run,
// in other nodes. What was sampled each time comes so many rounds, and each sample so often in a
// row, as if they had been taken at a shorter interval: with 3, a sample begins 1.8 calls, about as
// many as where an application is recorded at 0.1 ms.
func long(b testing.TB, times, rounds, inRow int) *written {
	var from written
	for name, text := range loadtest.Recordings(b, samples) {
		if strings.Contains(name, "requests-16") {
			if err := json.Unmarshal(text, &from); err != nil {
				b.Fatal(err)
			}
		}
	}
	top := *from.Nodes[0]
	top.Children = nil
	to := &written{Nodes: []*writtenNode{&top}, StartTime: from.StartTime, EndTime: from.StartTime}
	for k := range times {
		shift := k * len(from.Nodes)
		for _, n := range from.Nodes[1:] {
			n := *n
			n.ID += shift
			if n.CallFrame.URL != "" {
				n.CallFrame.URL = fmt.Sprintf("file:///srv/app%d/%s", k%20, n.CallFrame.URL)
			}
			n.Children = shifted(n.Children, shift)
			to.Nodes = append(to.Nodes, &n)
		}
		top.Children = append(top.Children, shifted(from.Nodes[0].Children, shift)...)
		for i := range rounds * len(from.Samples) {
			i %= len(from.Samples)
			for range inRow {
				to.Samples = append(to.Samples, from.Samples[i]+shift)
				to.TimeDeltas = append(to.TimeDeltas, from.TimeDeltas[i]/3)
				to.EndTime += from.TimeDeltas[i] / 3
			}
		}
	}
	return to
}

func shifted(ids []int, by int) []int {
	var all []int
	for _, id := range ids {
		all = append(all, id+by)
	}
	return all
}

// slow is a profile of so many different functions whose stacks change with every seventh sample
// alone, so that most of the work is to read it.
func slow(nodes int) *written {
	p := &written{StartTime: 1000, EndTime: 1_000_000_000_000}
	for i := range nodes {
		n := &writtenNode{ID: i + 1, HitCount: 100, CallFrame: writtenFrame{fmt.Sprint("function", i),
			fmt.Sprint(i), fmt.Sprintf("file:///srv/app/src/file%d.js", i%50), i, 20}}
		if i%10 != 9 && i+1 < nodes {
			n.Children = []int{i + 2}
		}
		p.Nodes = append(p.Nodes, n)
	}
	for i := range 20 * nodes {
		p.Samples, p.TimeDeltas = append(p.Samples, i/7%nodes+1), append(p.TimeDeltas, int64(900+i%200))
	}
	return p
}

// nested returns the profile as older DevTools write it.
func (p *written) nested() []byte {
	byID := map[int]*writtenNode{}
	for _, n := range p.Nodes {
		byID[n.ID] = n
	}
	var nest func(n *writtenNode) *older
	nest = func(n *writtenNode) *older {
		f := n.CallFrame
		o := &older{f.FunctionName, f.ScriptID, f.URL, f.LineNumber + 1, f.ColumnNumber + 1, n.HitCount, 7, nil,
			"no reason", n.ID, nil}
		for _, id := range n.Children {
			o.Children = append(o.Children, nest(byID[id]))
		}
		return o
	}
	times, now := make([]int64, len(p.TimeDeltas)), p.StartTime
	for i, d := range p.TimeDeltas {
		now += d
		times[i] = now
	}
	return encoded(map[string]any{"head": nest(p.Nodes[0]), "startTime": float64(p.StartTime) / 1e6,
		"endTime": float64(p.EndTime) / 1e6, "samples": p.Samples, "timestamps": times})
}

// byParent returns the profile with the caller of each node in place of its callees, its members
// in the order of their names.
func (p *written) byParent() []byte {
	parent := map[int]int{}
	for _, n := range p.Nodes {
		for _, id := range n.Children {
			parent[id] = n.ID
		}
	}
	var nodes []map[string]any
	for _, n := range p.Nodes {
		m := map[string]any{"id": n.ID, "callFrame": n.CallFrame}
		if up := parent[n.ID]; up > 0 {
			m["parent"] = up
		}
		nodes = append(nodes, m)
	}
	return encoded(map[string]any{"nodes": nodes, "startTime": p.StartTime, "endTime": p.EndTime,
		"samples": p.Samples, "timeDeltas": p.TimeDeltas})
}

// plainOlder is the older form as encoding/json reads it.
type plainOlder struct {
	Head               *plainHead
	StartTime, EndTime float64
	Samples            []int
	Timestamps         []int64
}

type plainHead struct {
	FunctionName, ScriptID, URL            string
	LineNumber, ColumnNumber, HitCount, ID int
	Children                               []*plainHead
}
