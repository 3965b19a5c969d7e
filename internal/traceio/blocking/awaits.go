package blocking

import (
	"strings"
	"unicode"

	"diptych/internal/trace"
)

// awaiting are the beginnings of words that say that a call waits.
var awaiting = []string{"wait", "await", "sleep", "sync", "park", "acquir", "join"}

// exactly are words that say so only as they stand: a block of text does not wait, and a blocked
// thread does.
var exactly = map[string]bool{"blocked": true, "blocking": true, "lock": true, "locking": true,
	"barrier": true, "suspended": true}

// Awaits reports whether a function's name or category says that it waits: a rule does, or a word
// of either, as in "wait for message", "WaitForFrame" or "cudaStreamSynchronize". It is meant for
// slices with free names that something wakes; on the word alone nothing is marked.
func (r *Rules) Awaits(f *trace.Function) bool {
	if to, known := r.stated(f.Name); known {
		return to.kind == trace.Wait
	}
	return saysWait(f.Name) || saysWait(f.Package)
}

// stated returns the rule for a function; unlike rule, also one of kind none.
func (r *Rules) stated(function string) (*rule, bool) {
	to := r.find(plainName(function))
	return to, to != nil
}

// saysWait reports whether a word of a name says that what it names waits.
func saysWait(name string) bool {
	for word := range words(name) {
		if exactly[word] {
			return true
		}
		for _, begin := range awaiting {
			if strings.HasPrefix(word, begin) {
				return true
			}
		}
	}
	return false
}

// words yields the words of a name in lower case. A capital begins one after a small letter or
// before one: "HTTPAwaitAll" is http, await, all.
func words(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		all := []rune(name)
		from := 0
		for i := 0; i <= len(all); i++ {
			switch {
			case i < len(all) && unicode.IsLetter(all[i]) && !begins(all, i):
				continue
			case i > from && !yield(strings.ToLower(string(all[from:i]))):
				return
			}
			if from = i; i < len(all) && !unicode.IsLetter(all[i]) {
				from++
			}
		}
	}
}

// begins reports whether the letter at i begins a word after another letter.
func begins(all []rune, i int) bool {
	if i == 0 || !unicode.IsUpper(all[i]) || !unicode.IsLetter(all[i-1]) {
		return false
	}
	return unicode.IsLower(all[i-1]) || i+1 < len(all) && unicode.IsLower(all[i+1])
}
