package synth

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"diptych/internal/output"
)

// Ranks with files of their own: two runs as large machines record them, a directory a side with a
// trace a rank. The computation is that of the perturbation (ranks.go) with two more functions:
//
//	conj_grad                           in each iteration
//	  matvec, precondition
//	  MPI_Irecv, MPI_Irecv, MPI_Send, MPI_Send, MPI_Wait, MPI_Wait
//	  update, dot
//	  MPI_Allreduce
//
// Both sides have noise of their own. On side B up to three ranks beside each other on a node are
// slow in one function for a while. The ranks beside them then wait in MPI_Wait and all others in
// MPI_Allreduce, so that the run of every rank takes longer, and only what a rank does itself tells
// the slow ones. Messages are no flows here: no file has both ends of one.
const (
	mostSlow             = 3
	ranksPerSlow         = 8 // at most one rank in so many is slow
	mostRankFiles        = 1000
	fileIterations       = 166
	callsOfFileIteration = 12
	preconditionNs       = 600_000
	updateNs             = 350_000
	leastRate, moreBy    = 2, 3       // 2 to 4 times as long
	startFrom, startBy   = 20, 45     // the period begins at 20 % to 64 % of the iterations
	longFrom, longBy     = 8, 13      // and has 8 % to 20 % of them
	rankBuffer           = 1 << 15    // bytes
	rankEnding           = ".json.gz" // of the files
)

// newFileComputation draws what is slow, and when.
func newFileComputation(o Options) *computation {
	n := iterationsFor(o.Calls, o.Ranks, callsOfFileIteration)
	c := &computation{seed: o.Seed, ranks: o.Ranks, iterations: n, ownFiles: true,
		before: []work{{fnMatvec, matvecNs}, {fnPrecondition, preconditionNs}},
		after:  []work{{fnUpdate, updateNs}, {fnDot, dotNs}}}
	d := newDice(o.Seed, streamRanks)
	c.slow = d.below(o.Ranks)
	node := c.slow / ranksOfNode * ranksOfNode
	end := min(node+ranksOfNode, o.Ranks)
	c.slowRanks = min(mostSlow, max(1, o.Ranks/ranksPerSlow), end-node)
	c.slow = min(c.slow, end-c.slowRanks)
	c.slowIn = []uint32{fnMatvec, fnPrecondition, fnUpdate}[d.below(3)]
	c.rate = leastRate + d.below(moreBy)
	c.from = n * (startFrom + d.below(startBy)) / 100
	c.to = c.from + max(1, n*(longFrom+d.below(longBy))/100)
	return c
}

// checkRankFiles sets what is not given of a run of ranks with files, and reduces the calls to
// whole iterations.
func (o *Options) checkRankFiles() error {
	if o.Ranks < fewestRanks || o.Ranks > mostRankFiles {
		return fmt.Errorf("%d ranks: the number lies between %d and %d", o.Ranks, fewestRanks, mostRankFiles)
	}
	if o.edited() || len(o.Situations) > 0 || o.Format == Uftrace ||
		o.Threads != 0 && o.Threads != o.Ranks {
		return errors.New("ranks with files are a run of their own: no situation, edit, noise, pace, " +
			"format, and no number of waits or threads goes with them")
	}
	o.Threads = o.Ranks
	return o.wholeIterations(callsOfFileIteration, fileIterations)
}

// RankTruth says what is slow on side B, if ranks have files of their own.
type RankTruth struct {
	Function   string     `json:"function"`
	Rate       int        `json:"rate"`       // it takes so many times as long
	Iterations [2]int     `json:"iterations"` // the first, and the first after the last
	Slow       []SlowRank `json:"slow"`
	Files      []string   `json:"files"` // by rank, in either directory
}

// SlowRank is a slow rank.
type SlowRank struct {
	Rank   int     `json:"rank"`
	Thread int     `json:"thread"`
	File   string  `json:"file"`
	A      Stretch `json:"a"`
	B      Stretch `json:"b"`
}

// Stretch is from the start of the first slow call to the end of the last, in ns from the start of
// the rank's trace. On side A these calls are not slow.
type Stretch struct {
	FromNs int64 `json:"fromNs"`
	ToNs   int64 `json:"toNs"`
	SelfNs int64 `json:"selfNs"` // of these calls
	Calls  int   `json:"calls"`
}

// add adds a call.
func (s *Stretch) add(start, ns int64) {
	if s.Calls == 0 {
		s.FromNs = start
	}
	s.ToNs = start + ns
	s.SelfNs += ns
	s.Calls++
}

// rankTruth says how the two sides differ.
func (c *computation) rankTruth(a, b []Stretch) *RankTruth {
	t := &RankTruth{Function: rankNames[c.slowIn-firstOwn], Rate: c.rate,
		Iterations: [2]int{c.from, c.to}}
	for rank := range c.ranks {
		t.Files = append(t.Files, rankFile(rank))
		if c.isSlow(rank) {
			t.Slow = append(t.Slow, SlowRank{rank, tid(rank), rankFile(rank), a[rank-c.slow],
				b[rank-c.slow]})
		}
	}
	return t
}

// rankFile is the name of a rank's file.
func rankFile(rank int) string { return fmt.Sprintf("rank-%04d"+rankEnding, rank) }

// rankSinks write the ranks of a side to files of a directory.
type rankSinks struct {
	dir   *output.Directory
	files []*os.File
	ranks []*chromeSink
}

// newRankSinks begins the directory at path, which may exist if it has nothing but such files.
func newRankSinks(p *outputs, path string, s *side) (*rankSinks, error) {
	if !onlyRanks(path) {
		return nil, fmt.Errorf("%s: it exists and holds more than files of ranks", path)
	}
	dir, err := p.begin(path)
	if err != nil {
		return nil, err
	}
	r := &rankSinks{dir: dir}
	for rank := range s.prog.mpi.ranks {
		if err := r.add(rank, s); err != nil {
			r.abandon()
			return nil, dir.Fail(err)
		}
	}
	return r, nil
}

func (r *rankSinks) add(rank int, s *side) error {
	f, err := os.Create(filepath.Join(r.dir.Name, rankFile(rank)))
	if err != nil {
		return err
	}
	r.files = append(r.files, f)
	c, err := newChromeFile(f, f.Name(), s, rank, rank+1, rankBuffer)
	r.ranks = append(r.ranks, c)
	return err
}

// onlyRanks reports whether there is no directory, or one without other files than those of ranks.
func onlyRanks(path string) bool {
	entries, err := os.ReadDir(path)
	if err != nil {
		return os.IsNotExist(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "rank-") || !strings.HasSuffix(e.Name(), rankEnding) {
			return false
		}
	}
	return true
}

func (r *rankSinks) enter(int, int, *activation) {}

func (r *rankSinks) leave(rank, depth int, a *activation, end int64) {
	r.ranks[rank].leave(rank, depth, a, end)
}

func (r *rankSinks) cut(rank int, stack []activation, end int64) { r.ranks[rank].cut(rank, stack, end) }

func (r *rankSinks) flow(flowPhase, int, int, int64) {}

func (r *rankSinks) failed() error {
	for _, c := range r.ranks {
		if c.err != nil {
			return r.dir.Fail(c.err)
		}
	}
	return nil
}

func (r *rankSinks) close() error {
	for rank, c := range r.ranks {
		err := c.close()
		if err == nil {
			err = r.files[rank].Close()
		}
		if err != nil {
			return r.dir.Fail(err)
		}
	}
	return nil
}

func (r *rankSinks) abandon() {
	for _, f := range r.files {
		f.Close()
	}
}
