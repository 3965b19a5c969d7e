package trace

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ThreadKind tells threads that execute from what a recording shows in the same place. The loader
// states it.
type ThreadKind uint8

const (
	Ordinary   ThreadKind = iota // executes the program: a thread, a goroutine, a rank
	AsyncTrack                   // a lane of asynchronous spans
	Sums                         // totals that the tool wrote, as clang does: "Total Backend"
	Runtime                      // the language's runtime or the tracer itself
	// SampleType is what a profile counts, where it counts several things: its role is one of them,
	// such as alloc_space. No two of them may be added up.
	SampleType
	// Samples are the stack samples of a thread whose events the recording has as well: both show
	// the same time.
	Samples
)

func (k ThreadKind) String() string {
	return [...]string{"thread", "async", "sums", "runtime", "sampleType", "samples"}[k]
}

// DeriveRole returns the role of a thread, and whether its name is numbered, from its name and id
// alone: the rule for formats that do not state them. For the k-th further lane of a thread, both
// may end with the number that the lane got.
//
//   - A name without a letter is a number, so the thread has no role. The name is numbered if it is
//     empty or what the id ends with, for then nobody but the system gave it: "14905" of the id
//     "14904/14905".
//   - Else the role is the name without the number that ends it, if there is a word before that
//     number: "worker" of "worker 3" and of "worker#3". A Go closure such as "main.run.func2" keeps
//     its number, for it is part of the function's name.
func DeriveRole(id, name string, lane int) (role string, numbered bool) {
	if own, ok := strings.CutSuffix(name, laneName("", lane)); ok && lane > 0 {
		name, id = own, id[:max(strings.LastIndex(id, "."), 0)]
	}
	if !strings.ContainsFunc(name, unicode.IsLetter) {
		return "", name == "" || name == id || strings.HasSuffix(id, "/"+name)
	}
	word := strings.TrimRight(name, "0123456789")
	if len(word) < len(name) {
		word = strings.TrimRight(word, " #_:/-")
	}
	if r, _ := utf8.DecodeLastRuneInString(word); unicode.IsLetter(r) &&
		!strings.HasSuffix(word, ".func") {
		return word, false
	}
	return name, false
}

// laneName returns the name of the k-th further lane of a thread.
func laneName(name string, k int) string { return fmt.Sprintf("%s · %d", name, k+1) }

// ID returns the id that the thread was given.
func (t *ThreadBuilder) ID() string { return t.id }

// Place replaces the id and the process of a thread, for formats that say them after its records.
func (t *ThreadBuilder) Place(id string, process int32) {
	t.id, t.process = t.b.text(id), process
	t.sketch.call(t.id, t.name)
}

// SetName names the thread.
func (t *ThreadBuilder) SetName(name string) {
	t.name = t.b.text(name)
	t.sketch.call(t.id, t.name)
}

// SetRole states the thread's role, and whether its name is that role and a number of this run. If
// it is never called, DeriveRole decides.
func (t *ThreadBuilder) SetRole(role string, numbered bool) {
	t.role, t.numbered, t.hasRole = t.b.escape(role), numbered, true
}

// SetKind states what the thread is.
func (t *ThreadBuilder) SetKind(k ThreadKind) { t.kind = k }

// SetSampled states that all calls of the thread are inferred from stack samples.
func (t *ThreadBuilder) SetSampled() { t.sampled = true }

// OnlyCall returns the function and start of the thread's only record, if that is a complete call.
func (t *ThreadBuilder) OnlyCall() (fn FuncID, start int64, ok bool) {
	switch {
	case t.mode != wholes || t.n != 1 || len(t.instants) > 0:
		return 0, 0, false
	case t.whole.preorder != nil:
		return t.whole.preorder.fn.at(0), t.whole.preorder.start, true
	}
	return t.whole.fn.at(0), t.whole.start.at(0), true
}
