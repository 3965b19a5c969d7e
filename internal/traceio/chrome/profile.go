package chrome

import (
	"context"

	"diptych/internal/trace"
	"diptych/internal/traceio/cpuprofile"
	"diptych/internal/traceio/spans"
	"diptych/internal/traceio/stacks"
)

// Events that hold stack samples of JavaScript, as V8 writes them while DevTools records; and the
// one in which older DevTools put all of them. What is in them is for package cpuprofile to know.
const (
	profileBegins = "Profile"
	profileChunk  = "ProfileChunk"
	wholeProfile  = "CpuProfile"
)

// profile is the samples of a thread. Chunks are events of the thread that takes the samples, and
// may come before the event that says whose they are.
type profile struct {
	*cpuprofile.Chunks
	of     trackKey // the process, and where it is known the thread whose stacks they are
	id     string
	chunks uint64
}

// profiles are those of a trace.
type profiles struct {
	list []*profile            // in the order of the file
	byID map[trackKey]*profile // by process, with the id in place of the thread
}

// profile takes an event that has a part of a profile.
func (f *feed) profile(t *batch, m *mention) {
	f.b.Observe(m.at)
	k := f.key(t, m.track)
	raw, _ := f.id(t, m)
	id := trackKey{k.pid, string(raw)}
	p := f.profiles.byID[id]
	if p == nil {
		p = f.newProfile(trackKey{pid: k.pid}, id.tid)
		f.profiles.byID[id] = p
	}
	switch begins := string(t.text(m.name)) == profileBegins; {
	case !begins:
		p.chunks++
		p.Add(m.at, t.argument(m))
	case p.Begun():
		f.b.Diagnose(trace.BadRecord, 1, "process %s: a second profile %s", k.pid, id.tid)
	default:
		p.of = k
		p.Begin(m.at, t.argument(m))
	}
}

// wholeProfile takes an event of the thread whose samples it has.
func (f *feed) wholeProfile(t *batch, m *mention) {
	f.newProfile(f.key(t, m.track), "").AddWhole(t.argument(m))
}

func (f *feed) newProfile(of trackKey, id string) *profile {
	p := &profile{Chunks: cpuprofile.NewChunks(f.b), of: of, id: id}
	f.profiles.list = append(f.profiles.list, p)
	return p
}

// addProfiles makes a thread of each profile, beside the one whose stacks it has: what was sampled
// are no calls of that one, whose events tell when calls really begin and end. If it has any, the
// samples show the same time once more. A thread that was sampled twice at a time, as where a page
// calls console.profile, has the profile of more samples.
func (f *feed) addProfiles(ctx context.Context) error {
	best := map[trackKey]*profile{}
	for _, p := range f.profiles.list {
		if b := best[p.of]; b == nil || p.Len() > b.Len() {
			best[p.of] = p
		}
	}
	line := stacks.NewTimeline(f.b)
	line.Aside = true
	for _, p := range f.profiles.list {
		if p.of.tid == "" {
			f.b.Diagnose(trace.BadRecord, p.chunks, "process %s: the beginning of profile %s is missing",
				p.of.pid, p.id)
			continue
		}
		if p != best[p.of] || p.Len() == 0 {
			f.b.Diagnose(trace.NotRead, uint64(p.Len()), "thread %s/%s was sampled twice: profile %s", p.of.pid,
				p.of.tid, p.id)
			continue
		}
		if err := p.Write(line, f.beside(p.of, "JavaScript")); err != nil {
			return err
		}
	}
	return line.Write(ctx)
}

// beside adds a thread for the samples of another one.
func (f *feed) beside(k trackKey, what string) *trace.ThreadBuilder {
	pid := spans.PlainID(k.pid)
	process := f.b.Process(pid)
	th := f.b.Thread(pid+"/"+spans.PlainID(k.tid)+"/"+what, process)
	name := f.entitle(&track{ThreadBuilder: th, trackKey: k, process: process})
	stacks.NameBeside(th, pid+"/"+k.tid, name, what)
	if own := f.tracks[k]; own != nil && own.HasCalls() {
		th.SetKind(trace.Samples)
	}
	return th
}
