// Package report turns traces and results into what leaves the program: the JSON objects of the
// command line, tables and exports. It draws nothing.
package report

import (
	"cmp"
	"slices"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Info is the JSON object of `diptych info`.
type Info struct {
	File            string       `json:"file"`
	Format          string       `json:"format"`
	Tool            string       `json:"tool"`
	Options         []string     `json:"options"` // see trace.Trace; null if the file does not say
	Calls           int          `json:"calls"`
	Functions       int          `json:"functions"`
	DurationNs      int64        `json:"durationNs"`
	MaxDepth        int          `json:"maxDepth"`
	Processes       int          `json:"processes"`
	Unit            string       `json:"unit"`
	Threads         []InfoThread `json:"threads"`
	Objects         int          `json:"objects"`
	Correspondences int          `json:"correspondences"`
	Links           int          `json:"links"`       // causal links: flows whose ends are known
	LinksWithin     int          `json:"linksWithin"` // of which begin and end on one thread
	Instants        int          `json:"instants"`
	InstantNames    []InfoCount  `json:"instantNames"` // the most frequent first
	Counters        int          `json:"counters"`
	Diagnostics     []InfoDiag   `json:"diagnostics"`
	// CountedCalls are those that the recorder of a profile has counted, of which Calls are stacks.
	CountedCalls int64 `json:"countedCalls,omitzero"`
	// SampleTypes are those of a profile, with how much each has in all: the first is the one that
	// is compared. Of a profile DurationNs is only how far the longest thread's axis goes.
	SampleTypes []InfoSampleType `json:"sampleTypes,omitzero"`
	// Requests are the distributed traces of the file, the longest first.
	Requests []InfoRequest `json:"requests,omitzero"`
	Trust    *Trust        `json:"trust"`
	Memory   Memory        `json:"memory"`
}

// InfoThread describes one thread. Times are in ns since the trace's first event.
type InfoThread struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Process  string `json:"process"`
	Host     string `json:"host"` // the machine that the process ran on, where the format knows it
	Calls    int    `json:"calls"`
	MaxDepth int    `json:"maxDepth"`
	StartNs  int64  `json:"startNs"`
	EndNs    int64  `json:"endNs"`
	Waits    int    `json:"waits"`
	Releases int    `json:"releases"`
	IOs      int    `json:"ios"`
	Async    bool   `json:"async"`
	Kind     string `json:"kind"` // thread, async, sums, runtime or sampleType
	Role     string `json:"role"` // the name without number or id
	Lane     int    `json:"lane"`
	Sampled  bool   `json:"sampled"` // calls are runs of stack samples that agree on them
}

// InfoCount is how often something of that name occurs.
type InfoCount struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// InfoSampleType is one sample type; its name is "" if the file has none for it.
type InfoSampleType struct {
	Name  string `json:"name"`
	Total int64  `json:"total"` // in the trace's unit
}

// InfoRequest is one distributed trace of a file that holds several. The threads are those of the
// one that is shown.
type InfoRequest struct {
	ID         string `json:"id"`
	Service    string `json:"service"`   // of its root
	Operation  string `json:"operation"` // of its root
	StartUnix  int64  `json:"startUnixNs"`
	DurationNs int64  `json:"durationNs"`
	Spans      int    `json:"spans"`
	Shown      bool   `json:"shown"`
}

// InfoDiag is one kind of violation found in the input.
type InfoDiag struct {
	Code    string `json:"code"`
	Count   uint64 `json:"count"`
	Example string `json:"example"`
}

// Memory is what the loaded trace occupies, in bytes.
type Memory struct {
	Columns      int64   `json:"columns"`
	Details      int64   `json:"details"`
	Names        int64   `json:"names"`
	BytesPerCall float64 `json:"bytesPerCall"` // columns and all derived from them, a call
}

// NewInfo describes t, loaded from the file at path.
func NewInfo(path string, t *trace.Trace) *Info {
	foot := t.Footprint()
	in := &Info{
		File: trace.Escape(path), Format: t.Format, Tool: t.Tool, Options: t.Options, Calls: t.Calls(), Functions: len(t.Functions),
		DurationNs: t.Duration, MaxDepth: t.MaxDepth(), Processes: len(t.Processes),
		Unit: string(t.Unit), Objects: len(t.Objects), Correspondences: len(t.Correspondences),
		Links: len(t.Links), Counters: len(t.Counters), Threads: []InfoThread{}, Diagnostics: []InfoDiag{},
		InstantNames: instantNames(t),
		Trust:        NewTrust(t), Memory: Memory{Columns: foot.Columns, Details: foot.Details, Names: foot.Names},
	}
	if in.Calls > 0 {
		in.Memory.BytesPerCall = float64(foot.Columns) / float64(in.Calls)
	}
	if t.Kind == trace.Profile {
		p := pair.New(t, nil, pair.Rules{})
		for _, of := range p.SampleTypes() {
			in.SampleTypes = append(in.SampleTypes, InfoSampleType{cmp.Or(of, t.SampleType), p.Extent(pair.A, of)})
		}
	}
	for _, c := range t.CallCounts {
		in.CountedCalls += c.Calls
	}
	for _, th := range t.Threads {
		in.Instants += len(th.Instants)
		in.Threads = append(in.Threads, describe(t, th))
	}
	for _, l := range t.Links {
		if l.From.Thread == l.To.Thread {
			in.LinksWithin++
		}
	}
	for _, r := range t.Requests {
		in.Requests = append(in.Requests, InfoRequest{ID: r.ID, Service: r.Service, Operation: r.Operation,
			StartUnix: r.Start, DurationNs: r.Duration, Spans: r.Spans, Shown: r.Shown})
	}
	for _, d := range t.Diagnostics {
		in.Diagnostics = append(in.Diagnostics, InfoDiag{string(d.Code), d.Count, d.Example})
	}
	return in
}

// instantNames counts the instants of a trace by name.
func instantNames(t *trace.Trace) []InfoCount {
	counts := make([]int, len(t.Functions))
	for _, th := range t.Threads {
		for _, i := range th.Instants {
			counts[i.Fn]++
		}
	}
	all := []InfoCount{}
	for fn, n := range counts {
		if n > 0 {
			all = append(all, InfoCount{t.Functions[fn].Name, n})
		}
	}
	slices.SortFunc(all, func(a, b InfoCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	return all
}

func describe(t *trace.Trace, th *trace.Thread) InfoThread {
	it := InfoThread{ID: th.ID, Name: th.Name, Calls: th.Len(), MaxDepth: th.MaxDepth(),
		Async: th.Kind == trace.AsyncTrack, Lane: th.Lane, Kind: th.Kind.String(), Role: th.Role,
		Sampled: th.Sampled}
	it.StartNs, it.EndNs = th.Span()
	if th.Process >= 0 {
		p := &t.Processes[th.Process]
		it.Process, it.Host = p.Name, p.Host
	}
	for i := range th.Blocks {
		switch th.Blocks[i].Kind {
		case trace.Wait:
			it.Waits++
		case trace.Release:
			it.Releases++
		case trace.IO:
			it.IOs++
		}
	}
	return it
}
