package synth

// The situations follow what SyncTrace found in a browser (section V of the paper), and well-known
// faults of threaded programs. One function plays a situation for all its threads and for the main
// thread, which gives the cues. What one thread waits for, another one releases.

// mainThread is the main thread in a play.
const mainThread = -1

// situation is threads of known roles that are added to the program, and how they play together.
type situation struct {
	name    string
	help    string
	roles   []string // the names of its threads
	objects []prop
	stuck   bool // its threads never end: nobody joins them
	play    func(p *part)
}

// prop is an object of a situation. A condition belongs to the mutex before it.
type prop uint8

const (
	lock     prop = iota // a mutex
	cond                 // a condition
	empty                // a semaphore without units
	threeOf              // a semaphore of three units
	noObject = ^uint32(0)
)

var situations = []situation{
	{name: "hang-monitor", help: "a thread that waits all its life for the main thread",
		roles: []string{"HangMonitor"}, objects: []prop{lock, cond}, play: hangMonitor},
	{name: "idle-worker", help: "a worker that waits for short and rare tasks",
		roles: []string{"SourceCompressor"}, objects: []prop{lock, cond, lock}, play: idleWorker},
	{name: "polling", help: "a thread that wakes up by a timeout again and again, later more often",
		roles: []string{"Poller"}, objects: []prop{lock, cond}, play: polling},
	{name: "compositor", help: "a thread that exchanges messages with the main thread",
		roles: []string{"Compositor"}, objects: []prop{lock, cond, lock, cond}, play: compositor},
	{name: "producer-consumer", help: "one producer and two consumers at a queue of three places",
		roles:   []string{"Producer", "Consumer 1", "Consumer 2"},
		objects: []prop{threeOf, empty, lock}, play: producerConsumer},
	{name: "lock-convoy", help: "four threads that queue for one mutex most of the time",
		roles:   []string{"Updater 1", "Updater 2", "Updater 3", "Updater 4"},
		objects: []prop{lock}, play: lockConvoy},
	{name: "io-bound", help: "a thread that reads and writes files slowly for the main thread",
		roles: []string{"IO"}, objects: []prop{lock, cond}, play: ioBound},
	{name: "deadlock", help: "two threads that take two mutexes in opposite order and wait for ever",
		roles:   []string{"Transfer 1", "Transfer 2"},
		objects: []prop{lock, lock, empty, empty}, stuck: true, play: deadlock},
	{name: perturbation, help: "alone: ranks that wait for one, which is slow for a while on side B"},
}

func hangMonitor(p *part) {
	switch {
	case p.who == mainThread && p.closing:
		p.notify("engine.(*HangMonitor).Shutdown", 0)
	case p.who != mainThread && p.opening:
		p.await("engine.(*HangMonitor).Wait", 0)
	}
}

func idleWorker(p *part) {
	task := p.closing || p.cue >= 0 && p.luck < 90
	switch {
	case !task:
	case p.who == mainThread:
		p.notify("engine.(*SourceCompressor).Dispatch", 0)
	default:
		p.await("engine.(*SourceCompressor).GetWork", 0)
		if !p.closing {
			p.call("engine.(*SourceCompressor).compress", func() { p.compute(1, 3) })
			p.call("engine.(*SourceCompressor).notifyDone", func() { p.section(2, func() {}) })
		}
	}
}

func polling(p *part) {
	switch {
	case p.who == mainThread && p.closing:
		p.notify("engine.(*Poller).Stop", 0)
	case p.who == mainThread || p.opening:
	default:
		late := p.closing || 2*p.cue >= p.cues
		for range 1 + 3*oneIf(late) { // the interval gets shorter
			p.call("engine.(*Poller).Sleep", func() {
				p.section(0, func() {
					p.timed(1, p.span()*8/(10+30*int64(oneIf(late))))
				})
			})
			p.call("engine.(*Poller).Poll", func() { p.compute(1, 4) })
		}
	}
}

func compositor(p *part) {
	switch {
	case p.opening:
	case p.who == mainThread:
		if p.cue > 0 || p.closing {
			p.await("engine.(*Layers).WaitForFrame", 2)
		}
		if !p.closing {
			p.notify("engine.(*Layers).SendTransaction", 0)
		}
	case !p.closing:
		p.await("engine.(*Compositor).ReceiveTransaction", 0)
		p.call("engine.(*Compositor).Composite", func() { p.compute(6, 24) })
		p.notify("engine.(*Compositor).DidComposite", 2)
	}
}

func producerConsumer(p *part) {
	const free, items, queue = 0, 1, 2
	switch {
	case p.cue < 0 || p.who == mainThread:
	case p.who == 0:
		p.call("engine.(*Producer).Make", func() { p.compute(8, 16) })
		p.call("engine.(*Queue).Put", func() {
			p.take(free)
			p.section(queue, func() { p.compute(1, 2) })
			p.post(items)
		})
	case p.cue%2 == p.who-1:
		p.call("engine.(*Queue).Get", func() {
			p.take(items)
			p.section(queue, func() { p.compute(1, 2) })
			p.post(free)
		})
		p.call("engine.(*Consumer).Use", func() { p.compute(16, 36) })
	}
}

func lockConvoy(p *part) {
	if p.cue < 0 || p.who == mainThread {
		return
	}
	p.call("engine.(*Updater).Prepare", func() { p.compute(1, 6) })
	p.call("engine.(*World).Update", func() { p.section(0, func() { p.compute(6, 12) }) })
}

func ioBound(p *part) {
	save := p.closing || p.cue >= 0 && p.luck < 80
	switch {
	case !save:
	case p.who == mainThread:
		p.notify("engine.(*History).Request", 0)
	default:
		p.await("engine.(*History).NextRequest", 0)
		if !p.closing {
			p.call("engine.(*History).Save", func() {
				file := uint32(p.luck % 24)
				p.leaf(opOpen, file, 1)
				p.leaf(opRead, file, 4)
				p.call("engine.(*History).Merge", func() { p.compute(1, 1) })
				p.leaf(opWrite, file, 4)
				p.leaf(opFsync, file, 12)
			})
		}
	}
}

// deadlock works without fault for half of the run. Then each thread waits until the other holds
// its first mutex, and only then takes its second.
func deadlock(p *part) {
	if p.cue < 0 || p.who == mainThread || p.cue > p.cues/2 {
		return
	}
	p.call("engine.(*Account).Audit", func() { p.compute(2, 6) })
	p.call("engine.(*Account).Transfer", func() {
		if p.cue < p.cues/2 {
			p.section(0, func() { p.section(1, func() { p.compute(1, 2) }) })
			return
		}
		from, to := uint32(p.who), uint32(1-p.who)
		meet := func() { p.post(2 + from); p.take(2 + to) }
		meet() // both have finished the part without fault
		p.operate(opLock, from)
		meet() // both hold their first
		p.operate(opLock, to)
	})
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}
