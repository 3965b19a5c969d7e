package otf2

import (
	"math"
	"strconv"
	"strings"
	"sync"

	"diptych/internal/trace"
	"diptych/internal/traceio/qualified"
)

// Roles of regions.
const (
	roleBarrier         = 15
	roleImplicitBarrier = 16
	roleFirstConstruct  = 3
	roleLastConstruct   = 22
)

// Paradigms.
const (
	paradigmUser     = 1
	paradigmCompiler = 2
	paradigmOpenMP   = 3
	paradigmMPI      = 4
)

// paradigms are what libraries are called that define no name.
var paradigms = map[byte]string{paradigmOpenMP: "OpenMP", paradigmMPI: "MPI", 5: "CUDA",
	6: "tracer", 7: "pthread", 13: "SHMEM", 18: "OpenACC", 19: "OpenCL", 23: "HIP", 24: "Kokkos"}

// function returns what a region is. Constructs of OpenMP and loops are no functions.
func (a *archive) function(id uint32) trace.Function {
	r, ok := a.defs.regions.get(id)
	f := trace.Function{Name: a.defs.text(r.name)}
	if !ok || f.Name == "" {
		f.Name = "region " + strconv.FormatUint(uint64(id), 10)
	}
	if r.role >= roleFirstConstruct && r.role <= roleLastConstruct {
		f.Kind = trace.Region
	}
	if r.line > 0 && r.line != undefined {
		f.File, f.Line = a.defs.text(r.file), int32(min(r.line, 1<<31-1))
	}
	switch {
	case r.paradigm > paradigmCompiler && r.paradigm != paradigmMPI:
		id, _ := a.defs.paradigms.get(uint32(r.paradigm))
		if f.Package = paradigms[r.paradigm]; f.Package == "" {
			f.Package = a.defs.text(id)
		}
	case r.paradigm == paradigmMPI, strings.HasPrefix(f.Name, "MPI_"):
		f.Package = "MPI"
	default:
		f.Package = qualified.Package(f.Name)
	}
	return f
}

// functions are all that locations have met, in an order that depends on chance. Locations are read
// at the same time, so each has numbers of its own, which stand for those here; in the end they get
// the ids of the trace, in the order of the locations.
type functions struct {
	mu      sync.Mutex
	list    []trace.Function
	index   map[trace.Function]int32
	regions map[uint32]int32 // numbers of regions, by their ids
	shown   []trace.Function // the list for those who look meanwhile: as the trace will have them
}

// region returns the number of a region that is defined.
func (a *archive) region(id uint32) int32 {
	a.functions.mu.Lock()
	defer a.functions.mu.Unlock()
	n, ok := a.functions.regions[id]
	if !ok {
		n = a.functions.number(a.function(id), a.b)
		if a.functions.regions == nil {
			a.functions.regions = map[uint32]int32{}
		}
		a.functions.regions[id] = n
	}
	return n
}

// named returns the number of a function.
func (a *archive) named(f trace.Function) int32 {
	a.functions.mu.Lock()
	defer a.functions.mu.Unlock()
	return a.functions.number(f, a.b)
}

// number returns the number of a function. Whoever calls it holds the lock.
func (s *functions) number(f trace.Function, b *trace.Builder) int32 {
	n, ok := s.index[f]
	if !ok {
		if s.index == nil {
			s.index = map[trace.Function]int32{}
		}
		n = int32(len(s.list))
		s.list, s.index[f] = append(s.list, f), n
		f.Name = trace.Escape(f.Name)
		s.shown = append(s.shown, f)
		b.Interim(s.shown)
	}
	return n
}

// unknown stands for a function that has no id of the trace yet.
const unknown = math.MaxUint32

// giveIDs gives the functions of a location the ids of the trace: by appearance, after those of the
// locations before. ids are what functions have so far, by number.
func (t *track) giveIDs(ids []trace.FuncID) {
	t.common = make([]trace.FuncID, len(t.functions))
	for i, n := range t.functions {
		if ids[n] == unknown {
			ids[n] = t.a.b.Function(t.a.functions.list[n])
		}
		t.common[i] = ids[n]
	}
	t.functions = nil
}
