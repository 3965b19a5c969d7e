package otf2

import (
	"strconv"
	"strings"

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
