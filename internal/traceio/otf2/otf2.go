// Package otf2 loads archives of the Open Trace Format 2, which Score-P, EZTrace and other tracers
// of parallel programs write. It classifies no function names.
//
// An archive NAME is an anchor file NAME.otf2, the definitions NAME.def, and a directory NAME with
// the files of its locations: ID.evt, the events, and ID.def, what translates them. The anchor is
// opened itself or through the directory that holds it. The format has no written specification;
// this package was made from the headers of the library that writes archives (otf2, versions 2 and
// 3) and the bytes of its files, and is held against otf2-print.
//
//   - anchor.go finds the archive and says what is missing of one;
//   - frames.go splits a file into records, fields.go reads the values of a record;
//   - defs.go keeps the archive's definitions, comms.go who takes part in a communicator;
//   - kinds.go has the layouts of events, event.go decodes them, plain.go does so for the short
//     ones that most are, local.go translates references and times by what the location itself
//     defines; regions.go makes functions of regions;
//   - contexts.go makes calls of calling contexts;
//   - location.go feeds the events of a location to its thread, notes.go those that say who waits
//     on whom; locations are read at the same time;
//   - messages.go, ways.go, collectives.go and forks.go then join what belongs together on all
//     locations, which pile.go keeps.
//
// What becomes of the events:
//
//	ENTER, LEAVE               a call of the region
//	CALLING_CONTEXT_ENTER,     calls of the regions of the context and of its callers
//	_LEAVE, _SAMPLE
//	MPI_RECV, MPI_IRECV        the call around it is a wait for the message; the send that it gets
//	                           its message from is the release, if it came after that wait began
//	MPI_COLLECTIVE_END         the call around it is a wait on the communicator, and the call of
//	                           the process that came last, or of the root, is the release
//	acquire, release lock      the call around it is a wait, or a release, of the lock
//	THREAD_FORK, _JOIN,        links between the calls around them, which are releases of calls
//	TEAM, CREATE, WAIT, END    that wait
//	barriers of OpenMP         waits on the team; the thread that came last releases the others
//	IO_OPERATION_BEGIN         the call around it is input or output on the file
//	BUFFER_FLUSH               a call "buffer flush" of the tracer
//	PARAMETER, attributes      arguments of calls
//	PROGRAM, MEASUREMENT       instants
//	all others                 counted, and left out
//
// A location is a thread, its group a process, and the machine of the system tree the host.
package otf2

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"diptych/internal/plural"
	"diptych/internal/progress"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/spans"
)

// fewestReaders is how many locations are read at once where there are fewer processors: while one
// waits for the disk, others go on. Each costs the memory of a window.
const fewestReaders = 4

// archive is an archive while it is read.
type archive struct {
	dir  fs.FS
	path string // of dir, as the user named it
	name string
	b    *trace.Builder
	ctx  context.Context

	anchor
	defs   definitions
	faults input.Faults
	tracks []*track
	units  map[uint32]int32 // groups of locations by number: processes of the Builder
	home   map[uint64]int32 // locations by number: their processes
	groups map[uint32]*membership
	unread [256]uint64 // events by kind that are left out

	functions functions
}

// Load reads the archive in src.
func Load(ctx context.Context, src *input.Source, _ input.Options, b *trace.Builder) error {
	a, err := locate(src)
	if err != nil {
		return err
	}
	a.b, a.ctx = b, ctx
	if err := a.readDefinitions(); err != nil {
		return err
	}
	b.Tool, b.Symbols = a.creator, true
	a.addProcesses()
	if err := a.readLocations(); err != nil {
		return err
	}
	a.faults.HandOver(b)
	return cmp.Or(a.join(), ctx.Err())
}

// fail makes an error about one file of the archive.
func (a *archive) fail(name string, offset int64, reason string, err error) error {
	return &input.FormatError{File: path.Join(a.path, name), Offset: offset, Reason: reason, Err: err}
}

// open opens a file of the archive and returns its records. A file that is missing is an error of
// fs.ErrNotExist.
func (a *archive) open(name string, timed bool) (*frames, func(), error) {
	file, err := a.dir.Open(name)
	if err != nil {
		return nil, nil, err
	}
	st, err := file.Stat()
	if err == nil && st.IsDir() {
		err = errors.New("it is a directory")
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	f := newFrames(file, st.Size(), timed)
	return f, func() { f.in.Close(); file.Close() }, nil
}

// eachRecord passes all records of a file of definitions to take, and counts those that it refuses.
func (a *archive) eachRecord(name string, to *input.Faults, take func(kind byte, f *fields) error) error {
	f, done, err := a.open(name, false)
	if err != nil {
		return a.fail(name, -1, "cannot open the definitions", plain(err))
	}
	defer done()
	for n := 0; ; n++ {
		if n&0xfff == 0 && a.ctx.Err() != nil {
			return a.ctx.Err()
		}
		r, err := f.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, errLost) && f.mend(to, name) {
			continue
		}
		if err != nil {
			to.Add(trace.Truncated, 1, "%s: byte %d: %v", name, f.in.At(), err)
			break
		}
		if err := take(r.kind, &fields{rest: r.body, order: f.order}); err != nil {
			to.Add(trace.BadRecord, 1, "%s: byte %d: %v", name, r.from, err)
		}
	}
	if err := f.in.Failure(); err != nil {
		return a.fail(name, f.in.At(), "cannot read", err)
	}
	return a.ctx.Err()
}

// mend passes over bytes that are no record, and counts them.
func (f *frames) mend(to *input.Faults, name string) bool {
	from := f.in.At()
	found := f.resync()
	to.Add(trace.BadRecord, 1, "%s: bytes %d to %d are no record", name, from, f.in.At())
	return found
}

// plain strips the operation and the path from a file error.
func plain(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// addProcesses adds a process for each group of locations, in the order of the definitions.
func (a *archive) addProcesses() {
	a.units = make(map[uint32]int32, len(a.defs.order))
	for i, id := range a.defs.order {
		p := a.b.Process(strconv.FormatUint(uint64(id), 10))
		a.units[id] = p
		g, _ := a.defs.groups.get(id)
		if name := a.defs.text(g.name); name != "" {
			a.b.NameProcess(p, name)
		}
		a.b.SortProcess(p, i)
		if host := a.defs.host(g); host != "" {
			a.b.HostProcess(p, host)
		}
		if _, ok := a.defs.groups.get(g.creator); ok {
			a.b.ForkProcess(p, strconv.FormatUint(uint64(g.creator), 10))
		}
	}
}

// readLocations reads the events of all locations, several at once, and then gives their functions
// common numbers.
func (a *archive) readLocations() error {
	a.home, a.groups = make(map[uint64]int32, len(a.defs.locations)), map[uint32]*membership{}
	for i := range a.defs.locations {
		l := &a.defs.locations[i]
		if _, again := a.home[l.id]; again {
			continue
		}
		t := a.newTrack(l)
		a.home[l.id] = t.unit
		a.tracks = append(a.tracks, t)
	}
	if err := a.readTracks(); err != nil {
		return err
	}
	ids := slices.Repeat([]trace.FuncID{unknown}, len(a.functions.list))
	for _, t := range a.tracks {
		t.giveIDs(ids)
		t.handOver()
	}
	a.tellUndefined()
	a.tellUnread()
	return progress.Spread(a.ctx, len(a.tracks), func(i int) error {
		a.tracks[i].th.Renumber(a.tracks[i].common)
		return nil
	})
}

// tellUndefined counts locations without definitions of their own. An archive may have none at all;
// where others have them, they were lost, and with them how the location's numbers and its clock
// differ from those of all.
func (a *archive) tellUndefined() {
	first, n := "", uint64(0)
	for _, t := range a.tracks {
		if t.undefined != "" {
			n++
			first = cmp.Or(first, t.undefined)
		}
	}
	if n > 0 && slices.ContainsFunc(a.tracks, func(t *track) bool { return t.defined }) {
		a.faults.Add(trace.Truncated, n, "%s is missing: the location's numbers and times are taken as they are", first)
	}
}

// readTracks reads all locations.
func (a *archive) readTracks() error {
	group, ctx := progress.NewGroup(a.ctx)
	var next atomic.Int64
	for range min(max(progress.Processors(), fewestReaders), len(a.tracks)) {
		group.Go(func() error {
			var out spans.Batch
			for i := next.Add(1) - 1; i < int64(len(a.tracks)); i = next.Add(1) - 1 {
				if err := a.tracks[i].read(ctx, &out); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// mostTold is how many kinds of events that are left out are named.
const mostTold = 6

// tellUnread counts the events that are left out, and names the most frequent kinds.
func (a *archive) tellUnread() {
	var kinds []int
	total := uint64(0)
	for kind, n := range a.unread {
		if n > 0 {
			kinds, total = append(kinds, kind), total+n
		}
	}
	slices.SortStableFunc(kinds, func(x, y int) int { return cmp.Compare(a.unread[y], a.unread[x]) })
	var told []string
	for _, kind := range kinds[:min(len(kinds), mostTold)] {
		told = append(told, fmt.Sprintf("%d %s", a.unread[kind], name(byte(kind))))
	}
	if n := len(kinds) - len(told); n > 0 {
		told = append(told, "and "+plural.Of(n, "other kind"))
	}
	a.b.Diagnose(trace.NotRead, total, "%s", strings.Join(told, ", "))
}
