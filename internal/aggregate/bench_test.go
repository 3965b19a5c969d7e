package aggregate

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
)

// regular makes a source of leaves in a tree of four children a node, as of a parallel program with
// phases, noise and a disturbance.
func regular(leaves, slices, states int) *table {
	r := rand.New(rand.NewPCG(1, 2))
	s := &table{slices: slices, states: make([]string, states)}
	places := make([]Place, leaves)
	for i := range places {
		for size := leaves / 4; size >= 1; size /= 4 {
			places[i].Keys = append(places[i].Keys, fmt.Sprint(i/size))
		}
		places[i].Names = places[i].Keys
	}
	s.tree, _ = NewTree(places)
	for i := range leaves {
		row := make([]float64, slices*states)
		for j := range slices {
			phase := j * 4 / slices
			if i%16 == 3 && j > slices/2 && j < slices*2/3 {
				phase++
			}
			first := .5 + .3*r.Float64()
			for k := range states {
				row[j*states+k] = (1 - first) / float64(states) * r.Float64()
			}
			row[j*states+phase%states] = first
		}
		s.v = append(s.v, row)
	}
	return s
}

// published computes gain and loss of each aggregate from the formulas, and the partition by the
// cubic recursion.
func published(s *table, p float64) []pick {
	q := &Quality{tree: s.tree, slices: s.slices, at: newTriangle(s.slices)}
	gain, loss := make([][]float64, len(s.nodes())), make([][]float64, len(s.nodes()))
	for h := range s.nodes() {
		gain[h], loss[h] = make([]float64, q.at.len()), make([]float64, q.at.len())
		for i := range s.slices {
			for j := i; j < s.slices; j++ {
				k := q.at[i] + j
				gain[h][k], loss[h][k] = plainOf(s, Aggregate{h, i, j}, Sum)
			}
		}
	}
	all := q.at[0] + s.slices - 1
	rootGain, rootLoss := gain[0][all], loss[0][all]
	return cubic(q, func(node, i, j int) (float64, float64) {
		k := q.at[i] + j
		return gain[node][k] / rootGain, loss[node][k] / rootLoss
	}, 0, p)
}

// BenchmarkAgainstPublished measures how many times faster than the published algorithm, written
// plainly from its formulas, the first partition is.
func BenchmarkAgainstPublished(b *testing.B) {
	s := regular(64, 50, 8)
	var plain, ours time.Duration
	for range b.N {
		began := time.Now()
		published(s, .5)
		half := time.Now()
		bestOf(b, measured(b, s, Sum), .5)
		plain, ours = plain+half.Sub(began), ours+time.Since(half)
	}
	b.ReportMetric(plain.Seconds()/ours.Seconds(), "times-faster")
}

// BenchmarkFirstPicture measures what a view waits for when its source changes.
func BenchmarkFirstPicture(b *testing.B) {
	for _, c := range [][2]int{{64, 100}, {256, 50}, {1024, 100}} {
		s := regular(c[0], c[1], 8)
		b.Run(fmt.Sprintf("%dx%d", c[0], c[1]), func(b *testing.B) {
			for i := range b.N {
				bestOf(b, measured(b, s, Sum), float64(i%10)/10)
			}
		})
	}
}

func BenchmarkMeasure(b *testing.B) {
	for _, c := range [][2]int{{64, 100}, {256, 50}, {1024, 100}} {
		s := regular(c[0], c[1], 8)
		b.Run(fmt.Sprintf("%dx%d", c[0], c[1]), func(b *testing.B) {
			for range b.N {
				measured(b, s, Sum)
			}
		})
	}
}

func BenchmarkBest(b *testing.B) {
	for _, c := range [][2]int{{64, 100}, {256, 100}, {1024, 100}} {
		s := regular(c[0], c[1], 8)
		q := measured(b, s, Sum)
		b.Run(fmt.Sprintf("%dx%d", c[0], c[1]), func(b *testing.B) {
			for i := range b.N {
				bestOf(b, q, float64(i%10)/10)
			}
		})
	}
}

// BenchmarkWide takes a program of 10,000 threads in 40 roles, most of which live for a twentieth
// of the run, from the trace to the partition for P_OPT.
func BenchmarkWide(b *testing.B) {
	const threads, live = 10_000, 20
	t := trace.NewBuilder("test")
	r := rand.New(rand.NewPCG(1, 2))
	fns := make([]trace.FuncID, 30)
	for i := range fns {
		fns[i] = t.Function(trace.Function{Name: fmt.Sprint("f", i)})
	}
	for i := range threads {
		th := t.Thread(fmt.Sprint("1/", i), t.Process("1"))
		th.SetName(fmt.Sprint("role", i%40, "x ", i))
		at, end := int64(i)*1000, int64(i+threads/live)*1000
		if i%500 == 0 {
			at, end = 0, (threads+threads/live)*1000 // as long as the program
		}
		for at < end {
			th.Begin(at, fns[r.IntN(len(fns))])
			at += 1 + r.Int64N(2*threads)
			th.End(at)
		}
	}
	p := pair.New(testtrace.Build(b, t), nil, pair.Rules{})
	ctx := context.Background()
	ms := func(began time.Time) float64 { return time.Since(began).Seconds() * 1000 / float64(b.N) }
	var model, measure, first, opt, searches, most float64
	for range b.N {
		at := time.Now()
		s := modelsOf(b, p, [2]Span{{To: p.A.Duration}}, Options{Slices: 100}).Sides[0]
		model, at = model+ms(at), time.Now()
		q := measured(b, s, Sum)
		measure, at = measure+ms(at), time.Now()
		bestOf(b, q, .5)
		first, at = first+ms(at), time.Now()
		c, err := NewCurve(ctx, q)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := c.Nearest(ctx); err != nil {
			b.Fatal(err)
		}
		opt += ms(at)
		searches += float64(len(c.runs)) / float64(b.N)
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		most = float64(after.Sys) / (1 << 20)
	}
	b.ReportMetric(model, "ms/New")
	b.ReportMetric(measure, "ms/Measure")
	b.ReportMetric(first, "ms/Best")
	b.ReportMetric(opt, "ms/Nearest")
	b.ReportMetric(searches, "searches")
	b.ReportMetric(most, "MB")
}
