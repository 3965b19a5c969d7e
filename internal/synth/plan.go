package synth

import (
	"math/bits"
	"sort"
)

const (
	phases       = 5    // of the frames: start, three kinds of work, shutdown
	roles        = 4    // the main thread, and three kinds of workers
	callsInFrame = 4000 // on a thread, about
	maxFrames    = 4096
	startup      = 0
	shutdown     = phases - 1
)

// plan is what is fixed before the first call: how many frames there are, how many calls each
// grows on each thread, and which functions are hot in which phase. All handshakes between
// threads are counted here, so that side A has exactly the calls asked for.
type plan struct {
	frames int
	quota  [][]int32 // by thread of the program and frame: calls to grow
	// By thread of the program: guarded sections to grow, nil for as many as the functions make.
	sections []int
	hot      [phases][roles][]uint32
	rank     zipf
}

func newPlan(o Options, prog *program) (*plan, error) {
	if prog.mpi != nil {
		return &plan{}, nil
	}
	p := &plan{frames: min(max(o.Calls/(o.Threads*callsInFrame), 1), maxFrames)}
	if o.Waits > 0 {
		// Handshakes are at most half of the waits, as long as there is one frame.
		p.frames = 1 + sort.Search(p.frames-1, func(less int) bool {
			_, waits := fixed(o, prog, less+2)
			return 2*waits > o.Waits
		})
	}
	calls, waits := fixed(o, prog, p.frames)
	switch {
	case o.Calls < calls:
		return nil, unfit("%d calls are too few for %d threads: at least %d",
			o.Calls, o.Threads+len(prog.stage.threads), calls)
	case o.Waits > 0 && o.Waits < waits:
		return nil, unfit("%d waits are too few for %d threads: at least %d",
			o.Waits, o.Threads+len(prog.stage.threads), waits)
	}
	d := newDice(o.Seed, streamPlan)
	p.distribute(d, o, o.Calls-calls)
	p.choose(d, prog)
	if o.Waits > 0 {
		return p, p.ration(o, o.Waits-waits)
	}
	return p, nil
}

// fixed is the number of calls, and of waits among them, that are not grown. Situations are
// prepared for so many frames.
func fixed(o Options, prog *program, frames int) (calls, waits int) {
	calls, waits = prog.stage.count(frames)
	calls += o.Threads + 2*(o.Threads-1) + frames*handshakes(o.Threads)
	waits += (o.Threads - 1) * (1 + 3*frames)
	return calls, waits
}

// handshakes is the number of calls of one frame that are not grown: each thread's round, start and
// done for each worker, and a pipe between neighbours, wait and post each.
func handshakes(threads int) int { return threads + 6*(threads-1) }

// distribute gives every thread and frame its share of the calls by random weights, without
// remainder.
func (p *plan) distribute(d dice, o Options, calls int) {
	weight := make([][]int64, o.Threads)
	var total int64
	for t := range weight {
		weight[t] = make([]int64, p.frames)
		busy := int64(4 + d.below(3))
		for f := range weight[t] {
			weight[t][f] = busy * int64(16+d.below(16))
			total += weight[t][f]
		}
	}
	p.quota = make([][]int32, o.Threads)
	var sum, given int64
	for t := range weight {
		p.quota[t] = make([]int32, p.frames)
		for f, w := range weight[t] {
			sum += w
			upTo := mulDiv(uint64(calls), uint64(sum), uint64(total))
			p.quota[t][f] = int32(upTo - given)
			given = upTo
		}
	}
}

// choose picks the hot functions of every phase and role among the top levels.
func (p *plan) choose(d dice, prog *program) {
	const hot = 6
	p.rank = newZipf(hot)
	for phase := range p.hot {
		for role := range p.hot[phase] {
			for range hot {
				level := prog.byLevel[d.below(3)]
				p.hot[phase][role] = append(p.hot[phase][role], level[d.below(len(level))])
			}
		}
	}
}

// phase of a frame: the first and the last are the program's start and end.
func (p *plan) phase(frame int) int {
	switch {
	case frame == 0 && p.frames > 2:
		return startup
	case frame == p.frames-1 && p.frames > 2:
		return shutdown
	}
	return 1 + frame*(phases-2)/p.frames
}

func roleOf(thread int) int {
	if thread == 0 {
		return 0
	}
	return 1 + (thread-1)%(roles-1)
}

// mulDiv is a·b/c for b ≤ c, without overflow on the way.
func mulDiv(a, b, c uint64) int64 {
	hi, lo := bits.Mul64(a, b)
	q, _ := bits.Div64(hi, lo, c)
	return int64(q)
}

// calls is how many a thread of the program grows.
func (p *plan) calls(thread int) (n int) {
	for _, q := range p.quota[thread] {
		n += int(q)
	}
	return n
}
