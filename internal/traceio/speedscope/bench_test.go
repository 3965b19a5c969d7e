package speedscope

import (
	"fmt"
	"math/rand/v2"
	"strings"
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
