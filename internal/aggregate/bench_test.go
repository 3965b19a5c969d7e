package aggregate

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
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
