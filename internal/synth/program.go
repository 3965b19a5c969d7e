package synth

import "fmt"

// The static program: functions in levels, a function calls functions of the next levels only (and
// some themselves), so that the depth of a stack is bounded and each function has an expected size.

// op is what a function does beyond running.
type op uint8

const (
	plain op = iota
	opLock
	opUnlock
	opSemWait
	opSemPost
	opCreate
	opJoin
	opRead
	opWrite
	opOpen
	ops

	// Only situations have these.
	opCondWait
	opCondTimed
	opSignal
	opFsync
	stagedOps = opFsync - ops
)

// The first function ids: the library calls, then the calls that span a thread or a frame.
const (
	fnMain      = uint32(ops) - 1 + iota
	fnWorker    // root of every other thread
	fnFrame     // one round of the main thread
	fnStep      // one round of a worker
	firstOwn    // the first function of the program's own graph
	fnLibrary   = uint32(0)
	levels      = 12
	calm        = levels - 4 // functions from here down take no lock: sections cannot nest
	maxDepth    = 60         // of what a frame grows, against recursion
	longSection = 24         // calls in a guarded section, about
	recursions  = 100        // of 256: chance to recurse once more

	fnStaged = uint32(1 << 24) // from here: functions of situations, operations first
)

var stagedNames = [stagedOps]string{"pthread_cond_wait", "pthread_cond_timedwait",
	"pthread_cond_signal", "fsync"}

var fixedNames = [firstOwn]string{"pthread_mutex_lock", "pthread_mutex_unlock", "sem_wait",
	"sem_post", "pthread_create", "pthread_join", "read", "write", "open", "main",
	"engine.(*Worker).Run",
	"engine.(*Loop).Frame", "engine.(*Worker).Step"}

// library is the id of an operation's function.
func library(o op) uint32 {
	if o > ops {
		return fnStaged + uint32(o-ops) - 1
	}
	return fnLibrary + uint32(o) - 1
}

// opOf is the operation that a function is, plain for all but the library.
func opOf(fn uint32) op {
	if fn < fnMain {
		return op(fn + 1)
	}
	if fn >= fnStaged && fn < fnStaged+uint32(stagedOps) {
		return ops + op(fn-fnStaged) + 1
	}
	return plain
}

// syncs reports whether the operation involves other threads, and so the order of virtual time.
func (o op) syncs() bool { return o >= opLock && o <= opJoin || o >= opCondWait && o <= opSignal }

// waits reports whether the operation waits for what another thread does.
func (o op) waits() bool {
	return o == opLock || o == opSemWait || o == opJoin || o == opCondWait || o == opCondTimed
}

// guard is what surrounds a function's steps.
type guard uint8

const (
	unguarded guard = iota
	mutex           // lock, steps, unlock
	pool            // wait, steps, post of a counting semaphore
)

// step is one call site: run with chance/256, and then about count times.
type step struct {
	fn     uint32
	chance int
	count  int
}

type function struct {
	name     string
	steps    []step
	median   int // of the self time, log2 ns in 1/256
	guard    guard
	object   uint32 // mutex or pool of a shard, file of an I/O function
	recurses bool
	expected int // calls in its subtree, in 1/16
}

type program struct {
	functions []function
	byLevel   [levels][]uint32
	ranks     [levels]zipf // popularity within a level
	objects   objects
	files     int
	stage     *stage
	mpi       *computation // nil unless ranks run: then the rest is empty
}

func newProgram(o Options) *program {
	if o.perturbed() || o.Ranks > 0 {
		return newRankProgram(o)
	}
	stage := newStage(o)
	p := &program{functions: make([]function, o.Functions), files: 24, stage: stage,
		objects: objects{threads: o.Threads, staged: stage.units}}
	for i, name := range fixedNames {
		p.functions[i] = function{name: name, median: 7 * 256, expected: 16}
	}
	d, n := newDice(o.Seed, streamProgram), newNamer(o.Seed, streamNames)
	for fn := int(firstOwn); fn < o.Functions; fn++ {
		level := levelOf(d)
		if fn < int(firstOwn)+levels { // every level has one
			level = fn - int(firstOwn)
		}
		p.functions[fn].name = n.function()
		p.byLevel[level] = append(p.byLevel[level], uint32(fn))
	}
	for level := levels - 1; level >= 0; level-- {
		p.ranks[level] = newZipf(len(p.byLevel[level]))
		for _, fn := range p.byLevel[level] {
			p.write(d, level, &p.functions[fn])
		}
	}
	return p
}

// levelOf puts more functions further down.
func levelOf(d dice) int {
	return max(d.below(levels), d.below(levels))
}

// write gives a function its steps: callees from the next levels until the subtree is expected to
// be as large as suits the level.
func (p *program) write(d dice, level int, f *function) {
	f.median = 6*256 + d.below(4*256)
	f.expected = 16
	if level == levels-1 || level > 0 && d.chance(30) {
		return
	}
	first := level + 1
	switch {
	case level >= 1 && level < calm && d.chance(24):
		f.guard, first = mutex, calm
		f.object = uint32(d.below(shardMutexes))
		f.expected += 32
	case level >= 1 && level < calm && d.chance(8):
		f.guard, first = pool, calm
		f.object = uint32(d.below(shardPools))
		f.expected += 32
	case level >= calm && d.chance(5):
		p.writeIO(d, f)
		return
	}
	target := 16 * int(d.logNormal((levels-level)*200, 160))
	if f.guard != unguarded {
		target = min(target, 16*longSection)
	}
	for range 8 {
		if f.expected >= target {
			break
		}
		p.addStep(d, first, target, f)
	}
	if level >= 2 && f.guard == unguarded && d.chance(20) {
		f.recurses = true
		f.expected = f.expected * 256 / (256 - recursions)
	}
}

func (p *program) addStep(d dice, first, target int, f *function) {
	level := min(first+min(d.below(3), d.below(3)), levels-1)
	callees := p.byLevel[level]
	at := p.ranks[level].draw(d)
	if d.chance(128) { // code that is rarely shared
		at = d.below(len(callees))
	}
	s := step{fn: callees[at], chance: 256, count: 1}
	switch d.below(8) {
	case 0, 1:
		s.chance = 64 + d.below(160)
	case 2, 3, 4:
		s.count = 2 + d.below(7)
	case 5:
		s.count = 8 + d.below(24)
	}
	one := p.functions[s.fn].expected
	for s.count > 1 && f.expected+s.count*one > 2*target {
		s.count /= 2
	}
	f.steps = append(f.steps, s)
	f.expected += one * s.count * s.chance / 256
}

func (p *program) writeIO(d dice, f *function) {
	f.object = uint32(d.below(p.files))
	o := opRead
	if d.chance(100) {
		o = opWrite
	}
	n := 1 + d.below(2)
	f.steps = []step{{library(opOpen), 12, 1}, {library(o), 256, n}}
	f.expected += 16 * n
}

// names returns a fresh list of the functions' names, those of situations last.
func (p *program) names() []string {
	out := make([]string, len(p.functions))
	for i := range p.functions {
		out[i] = p.functions[i].name
	}
	if len(p.stage.scenes) > 0 {
		out = append(out, p.stage.names...)
	}
	return out
}

// nameIndex is a function's index in names.
func (p *program) nameIndex(fn uint32) int {
	if fn >= fnStaged {
		return len(p.functions) + int(fn-fnStaged)
	}
	return int(fn)
}

// byNameIndex is the function at an index in names.
func (p *program) byNameIndex(i int) uint32 {
	if i >= len(p.functions) {
		return fnStaged + uint32(i-len(p.functions))
	}
	return uint32(i)
}

// threadNames names all threads, those of situations last.
func (p *program) threadNames() []string {
	if p.mpi != nil {
		return p.mpi.names()
	}
	out := []string{"main"}
	for t := 1; t < p.objects.threads; t++ {
		out = append(out, fmt.Sprintf("worker %d", t))
	}
	for _, c := range p.stage.threads {
		out = append(out, c.scene.roles[c.who])
	}
	return out
}
