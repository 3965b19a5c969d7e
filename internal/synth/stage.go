package synth

import (
	"fmt"
	"slices"
	"strings"
)

// stage is the situations that are played beside the program: which threads and objects they have.
// Their threads come after the program's, their objects after its objects.
type stage struct {
	seed    uint64
	scenes  []scene
	threads []cast
	names   []string // of the functions that only situations have, from fnStaged on
	units   []int    // by object
	first   uint32   // object
	calls   int      // of each thread, about
	cues    int      // in a run
}

// scene is one situation as it is played.
type scene struct {
	*situation
	index   int
	thread  int    // its first, of all threads
	objects uint32 // its first, of all objects
}

// cast is a thread of a scene.
type cast struct {
	scene *scene
	who   int
}

// cuesInFrame is how often in a frame the main thread turns to the situations.
const cuesInFrame = 8

func newStage(o Options) *stage {
	s := &stage{seed: o.Seed, first: uint32(objects{threads: o.Threads}.program())}
	s.names = slices.Clone(stagedNames[:])
	for i, name := range o.Situations {
		at := slices.IndexFunc(situations, func(s situation) bool { return s.name == name })
		s.scenes = append(s.scenes, scene{situation: &situations[at], index: i,
			thread: o.Threads + len(s.threads), objects: s.first + uint32(len(s.units))})
		for who := range situations[at].roles {
			s.threads = append(s.threads, cast{who: who})
		}
		for _, p := range situations[at].objects {
			s.units = append(s.units, [...]int{lock: 1, cond: 0, empty: 0, threeOf: 3}[p])
		}
	}
	for i := range s.scenes {
		for who := range s.scenes[i].roles {
			s.threads[s.scenes[i].thread-o.Threads+who].scene = &s.scenes[i]
		}
	}
	s.calls = o.Calls / (o.Threads + len(s.threads))
	return s
}

// root is the function that a thread of a scene starts with.
func (c cast) root() string {
	role, _, _ := strings.Cut(c.scene.roles[c.who], " ")
	return "engine.(*" + role + ").ThreadMain"
}

// function returns the id of a function of situations.
func (s *stage) function(name string) uint32 {
	i := slices.Index(s.names, name)
	if i < 0 {
		i = len(s.names)
		s.names = append(s.names, name)
	}
	return fnStaged + uint32(i)
}

// turn returns what a thread does: at its opening (turn 0), at each cue, at its closing.
func (s *stage) turn(c cast, turn int, into []beat) []beat {
	p := &part{stage: s, scene: c.scene, who: c.who, cue: turn - 1, cues: s.cues, beats: into,
		opening: turn == 0, closing: turn == s.cues+1}
	stream := streamStage + uint64(c.scene.index)<<32 + uint64(turn)<<8
	p.luck = newDice(s.seed, stream).below(256)
	p.dice = newDice(s.seed, stream+uint64(c.who+2))
	if p.opening || p.closing {
		p.cue = -1
	}
	own := c.who != mainThread
	if own && p.opening {
		p.push(beat{kind: open, fn: s.function(c.root())})
	}
	c.scene.play(p)
	if own && p.closing {
		p.push(beat{kind: shut})
	}
	return p.beats
}

// prompt returns what the main thread does for all situations.
func (s *stage) prompt(turn int, into []beat) []beat {
	for i := range s.scenes {
		into = s.turn(cast{&s.scenes[i], mainThread}, turn, into)
	}
	return into
}

// count returns how many calls and waits all situations have in a run of so many frames, and learns
// the names of their functions.
func (s *stage) count(frames int) (calls, waits int) {
	s.cues = frames * cuesInFrame
	var beats []beat
	add := func() {
		for _, b := range beats {
			switch b.kind {
			case forest:
				calls += int(b.object)
			case open, operate, leaf:
				calls++
				waits += oneIf(opOf(b.fn).waits())
			}
		}
		beats = beats[:0]
	}
	for turn := range s.cues + 2 {
		beats = s.prompt(turn, beats)
		for _, c := range s.threads {
			beats = s.turn(c, turn, beats)
		}
		add()
	}
	for _, c := range s.threads { // created, and joined
		calls++
		if !c.scene.stuck {
			calls++
			waits++
		}
	}
	return calls, waits
}

// truth names the scene's threads and objects.
func (s *scene) truth(o objects) Scene {
	out := Scene{Name: s.name, Roles: s.roles}
	for who := range s.roles {
		out.Threads = append(out.Threads, tid(s.thread+who))
	}
	for i := range s.situation.objects {
		out.Objects = append(out.Objects, o.name(s.objects+uint32(i)))
	}
	return out
}

// part is what one thread has to do in one turn of a scene.
type part struct {
	stage            *stage
	scene            *scene
	who              int // of its threads, or mainThread
	cue, cues        int // −1 at opening and closing
	opening, closing bool
	luck             int  // of 256, the same for all threads of the scene
	dice             dice // its own
	beats            []beat
}

func (p *part) push(b beat) { p.beats = append(p.beats, b) }

// call makes fn call what body does.
func (p *part) call(fn string, body func()) {
	p.push(beat{kind: open, fn: p.stage.function(fn)})
	body()
	p.push(beat{kind: shut})
}

// compute grows lo to hi sixteenths of what a thread of the program calls from cue to cue.
func (p *part) compute(lo, hi int) {
	n := p.stage.calls * (lo*16 + p.dice.below((hi-lo)*16+16)) / (16 * 16 * p.cues)
	p.push(beat{kind: forest, object: uint32(max(n, 2))})
}

// callNs is what a call of the program takes by itself, on average.
const callNs = 900

// span is the time from cue to cue in ns, about.
func (p *part) span() int64 { return callNs * int64(p.stage.calls) / int64(p.cues) }

func (p *part) operate(o op, object uint32) {
	p.push(beat{kind: operate, fn: library(o), object: p.scene.objects + object})
}

func (p *part) take(semaphore uint32) { p.operate(opSemWait, semaphore) }
func (p *part) post(semaphore uint32) { p.operate(opSemPost, semaphore) }

// section runs body with a mutex held.
func (p *part) section(mutex uint32, body func()) {
	p.operate(opLock, mutex)
	body()
	p.operate(opUnlock, mutex)
}

// timed waits for a condition, but no longer than a time.
func (p *part) timed(cond uint32, ns int64) {
	p.operate(opCondTimed, cond)
	p.beats[len(p.beats)-1].ns = ns
}

// await waits for the condition that follows a mutex.
func (p *part) await(fn string, mutex uint32) {
	p.call(fn, func() { p.section(mutex, func() { p.operate(opCondWait, mutex+1) }) })
}

// notify signals it.
func (p *part) notify(fn string, mutex uint32) {
	p.call(fn, func() { p.section(mutex, func() { p.operate(opSignal, mutex+1) }) })
}

// leaf does input or output on a file, for about so many sixteenths of the time from cue to cue.
func (p *part) leaf(o op, file uint32, sixteenths int64) {
	ns := p.span() * sixteenths * int64(4+p.dice.below(25)) / (16 * 16)
	p.push(beat{kind: leaf, fn: library(o), object: file, ns: min(ns, 1<<30)})
}

// SituationNames lists the situations that Options.Situations may name.
func SituationNames() []string {
	var out []string
	for _, s := range situations {
		out = append(out, s.name)
	}
	return out
}

// SituationHelp says what a situation is, a line each.
func SituationHelp() string {
	var b strings.Builder
	for _, s := range situations {
		fmt.Fprintf(&b, "  %-18s %s\n", s.name, s.help)
	}
	return b.String()
}
