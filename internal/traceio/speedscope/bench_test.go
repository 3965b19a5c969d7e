package speedscope

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"diptych/internal/traceio/loadtest"
)

// document is what encoding/json decodes of a file: the same members as the loader reads.
type document struct {
	Exporter           string
	ActiveProfileIndex int
	Shared             struct {
		Frames []struct {
			Name, File string
			Line       int
		}
	}
	Profiles []struct {
		Type, Name, Unit string
		StartValue       float64
		Samples          [][]int
		Weights          []float64
		Events           []struct {
			Type  string
			At    float64
			Frame int
		}
	}
}

// walk writes stacks of a program as samplers meet them: most samples differ from the one before in
// a few innermost frames.
func walk(r *rand.Rand, samples int, each func(i int, stack []int)) {
	var stack []int
	for i := range samples {
		stack = stack[:max(0, len(stack)-r.IntN(4))]
		for len(stack) < 12 || r.IntN(2) == 0 && len(stack) < 60 {
			stack = append(stack, (len(stack)*31+r.IntN(8))%3000)
		}
		each(i, stack)
	}
}

func frames() string {
	var all []string
	for i := range 3000 {
		all = append(all, fmt.Sprintf(`{"name":"module.function%d","file":"src/module%d.py","line":%d}`, i, i%70, i))
	}
	return `"shared":{"frames":[` + strings.Join(all, ",") + `]}`
}

// sampledFile and eventedFile are files of some MB.
func sampledFile() string {
	var samples, weights []string
	walk(rand.New(rand.NewPCG(1, 2)), 40_000, func(i int, stack []int) {
		samples = append(samples, strings.ReplaceAll(fmt.Sprint(stack), " ", ","))
		weights = append(weights, "0.01")
	})
	return `{"profiles":[{"type":"sampled","name":"main","unit":"seconds","startValue":0,"samples":[` +
		strings.Join(samples, ",") + `],"weights":[` + strings.Join(weights, ",") + `]}],` + frames() + `}`
}

func eventedFile() string {
	var events []string
	var open []int
	walk(rand.New(rand.NewPCG(1, 2)), 40_000, func(i int, stack []int) {
		same := 0
		for same < min(len(open), len(stack)) && open[same] == stack[same] {
			same++
		}
		for k := len(open) - 1; k >= same; k-- {
			events = append(events, fmt.Sprintf(`{"type":"C","frame":%d,"at":%d.25}`, open[k], 100*i))
		}
		for _, f := range stack[same:] {
			events = append(events, fmt.Sprintf(`{"type":"O","frame":%d,"at":%d.25}`, f, 100*i))
		}
		open = append(open[:0], stack...)
	})
	return `{"profiles":[{"type":"evented","name":"main","unit":"microseconds","startValue":0,"events":[` +
		strings.Join(events, ",") + `]}],` + frames() + `}`
}

// BenchmarkLoad reports, besides its own speed, how many times as much processor time encoding/json
// takes to decode what is loaded, the fastest of either in the same run.
func BenchmarkLoad(b *testing.B) {
	for name, text := range map[string]string{"sampled": sampledFile(), "evented": eventedFile()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			own, standard := time.Duration(1<<62), time.Duration(1<<62)
			for b.Loop() {
				runtime.GC()
				start := loadtest.ProcessorTime()
				if tr := mustLoad(b, text); tr.Calls() == 0 {
					b.Fatal("no calls")
				}
				own = min(own, loadtest.ProcessorTime()-start)
				runtime.GC()
				start = loadtest.ProcessorTime()
				var d document
				if err := json.Unmarshal([]byte(text), &d); err != nil {
					b.Fatal(err)
				}
				standard = min(standard, loadtest.ProcessorTime()-start)
			}
			b.ReportMetric(float64(standard)/float64(own), "x-faster-than-encoding/json")
		})
	}
}
