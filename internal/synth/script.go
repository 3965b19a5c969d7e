package synth

const maxForest = 4096 // calls grown at once, about

// beat is one thing a thread does next: open a call that spans what follows, close it, run a
// forest of grown calls, or a single operation on an object.
type beat struct {
	kind   beatKind
	fn     uint32
	object uint32 // in the queue of a script: for a forest the calls to grow
	ns     int64  // a leaf's time, or when a wait gives up
}

type beatKind uint8

const (
	open beatKind = iota
	shut
	forest
	operate
	leaf // a call that calls nothing
	over // the thread is done
)

// script tells what one thread does, beat by beat. It depends on the options alone, not on time.
// Where no forest is due the beats come from queue, refilled frame by frame.
type script struct {
	thread, threads int
	cast            cast // of a thread of a situation
	plan            *plan
	prog            *program
	grow            grower
	edit            *editor // nil on side A
	queue           []beat
	next            int // in queue
	turn            int // 0 the opening, then the frames or cues, then the closing
	turns           int
	frame           int
	grown, given    int // calls, and sections, of the stretches so far
	quota           int // calls still to grow before the next beat of the queue
	callsA          int // of this thread, as far as the script went
}

func newScript(s *side, o Options, thread int) *script {
	c := &script{thread: thread, threads: o.Threads, plan: s.plan, prog: s.prog,
		turns: s.plan.frames + 2,
		grow:  grower{prog: s.prog, thread: thread, dice: newDice(o.Seed, streamThread+uint64(thread))}}
	if staged := thread - o.Threads; staged >= 0 {
		c.cast, c.turns = s.prog.stage.threads[staged], s.prog.stage.cues+2
		c.grow.quiet = true
	}
	if s.truth != nil {
		c.edit = newEditor(s, o, thread)
		c.edit.fresh.quiet = c.grow.quiet
	}
	return c
}

// beat returns the next thing to do. A forest is valid until the next call.
func (c *script) beat() (beat, []node) {
	for {
		if c.quota > 0 {
			return beat{kind: forest}, c.forest()
		}
		if c.next < len(c.queue) {
			b := c.queue[c.next]
			c.next++
			switch b.kind {
			case forest:
				c.quota = int(b.object)
				c.grow.limit = c.allow(c.quota)
				continue
			case open, operate, leaf:
				c.callsA++
				if c.edit != nil {
					c.edit.pass(b.fn)
				}
			}
			return b, nil
		}
		if c.turn == c.turns {
			return beat{kind: over}, nil
		}
		c.refill()
	}
}

// forest is the next forest of the frame: a hot function of the phase, called in a loop.
func (c *script) forest() []node {
	g := &c.grow
	hot := c.plan.hot[c.plan.phase(c.frame)][roleOf(c.thread)] // a cast thread's frame stays 0
	fn := hot[c.plan.rank.draw(g.dice)]
	if g.dice.chance(40) { // something else in between
		level := c.prog.byLevel[g.dice.below(3)]
		fn = level[g.dice.below(len(level))]
	}
	g.forest, g.left = g.forest[:0], c.quota-2*g.limit.left
	if g.left == 0 {
		c.bare()
	}
	for n := 1 + g.dice.below(12); n > 0 && len(g.forest) < maxForest; n-- {
		if !g.call(fn, c.prog.functions[fn].object, 0) {
			break
		}
	}
	c.quota = g.left + 2*g.limit.left
	c.callsA += len(g.forest)
	if c.edit != nil {
		return c.edit.forest(g.forest)
	}
	return g.forest
}

// refill queues the thread's opening, a frame, or its closing.
func (c *script) refill() {
	c.queue, c.next = c.queue[:0], 0
	switch {
	case c.cast.scene != nil:
		c.queue = c.prog.stage.turn(c.cast, c.turn, c.queue)
	case c.turn == 0:
		c.opening()
	case c.turn <= c.plan.frames:
		c.frame = c.turn - 1
		c.round()
	default:
		c.closing()
	}
	c.turn++
}

// round is one frame: the main thread starts the workers and in the end waits for all; half-way
// each thread sends to the next and waits for the one before. Posts come before waits and follow
// the order of threads, so no edit of what is grown between can make the threads wait in a
// circle.
func (c *script) round() {
	o, post, wait := c.prog.objects, library(opSemPost), library(opSemWait)
	quota := uint32(c.plan.quota[c.thread][c.frame])
	if c.thread == 0 {
		c.push(open, fnFrame, 0)
		for t := 1; t < c.threads; t++ {
			c.push(operate, post, o.start(t))
		}
	} else {
		c.push(open, fnStep, 0)
		c.push(operate, wait, o.start(c.thread))
	}
	c.stretch(quota, 0)
	if c.thread+1 < c.threads {
		c.push(operate, post, o.pipe(c.thread))
	}
	if c.thread > 0 {
		c.push(operate, wait, o.pipe(c.thread-1))
	}
	c.stretch(quota, 1)
	if c.thread == 0 {
		for t := 1; t < c.threads; t++ {
			c.push(operate, wait, o.done())
		}
	} else {
		c.push(operate, post, o.done())
	}
	c.push(shut, 0, 0)
}

// stretch is one half of a frame's calls. In between the main thread turns to the situations.
func (c *script) stretch(quota, half uint32) {
	stage := c.prog.stage
	if c.thread != 0 || len(stage.scenes) == 0 {
		c.push(forest, 0, [2]uint32{quota / 2, quota - quota/2}[half])
		return
	}
	const n = cuesInFrame
	for k := half * n / 2; k < (half+1)*n/2; k++ {
		c.queue = stage.prompt(1+c.frame*n+int(k), c.queue)
		c.push(forest, 0, quota*(k+1)/n-quota*k/n)
	}
}

func (c *script) opening() {
	if c.thread != 0 {
		c.push(open, fnWorker, 0)
		return
	}
	c.push(open, fnMain, 0)
	stage := c.prog.stage
	for t := 1; t < c.threads+len(stage.threads); t++ {
		c.push(operate, library(opCreate), uint32(t))
	}
	c.queue = stage.prompt(0, c.queue)
}

func (c *script) closing() {
	if c.thread == 0 {
		stage := c.prog.stage
		c.queue = stage.prompt(stage.cues+1, c.queue)
		for t := 1; t < c.threads; t++ {
			c.push(operate, library(opJoin), uint32(t))
		}
		for i, cast := range stage.threads {
			if !cast.scene.stuck {
				c.push(operate, library(opJoin), uint32(c.threads+i))
			}
		}
	}
	c.push(shut, 0, 0)
}

func (c *script) push(kind beatKind, fn, object uint32) {
	c.queue = append(c.queue, beat{kind: kind, fn: fn, object: object})
}
