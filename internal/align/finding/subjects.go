package finding

import (
	"cmp"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"diptych/internal/pair"
	"diptych/internal/trace"
)

// What calls are about, where their arguments say it and the name does not. Clang's -ftime-trace
// has a call of Source for each header, which is its argument:
//
//	A: Source runs 76 times      B: Source runs 126 times, 82 ms of 87 ms more for <iostream> and
//	                                <functional>, with the headers that these include
//
// Most arguments are no such thing: numbers, addresses, or texts that many calls share. So they
// must tell the calls of a side apart, and be those of the other side, too.

// subject is what some calls are about: an argument text, and the time of the outermost calls that
// have it, ns, with callees, by side.
type subject struct {
	text  string
	ns    [2]int64
	calls [2]int64 // all of them
}

func (x *subject) change() int64 { return x.ns[pair.B] - x.ns[pair.A] }

const longestSubject = 60 // characters

// subjectWords says for what a function is called more often, or less, if that is a few subjects
// that make most of the change.
func (s *study) subjectWords(f *Finding, t [2]*total) string {
	if f.Kind != Called && f.Kind != Repeat || s.share(f.DeltaNs) < leastChance || s.isSampled(f.ID) {
		return ""
	}
	for sd, t := range t {
		tr := s.p.Trace(pair.Side(sd))
		if tr.Symbols || tr.Threads[t.at.Thread].Args(int(t.at.Call)) == "" {
			return ""
		}
	}
	list := s.subjectsOf(f.ID)
	if !tellApart(list, t) {
		return ""
	}
	list = slices.DeleteFunc(list, func(x subject) bool {
		return !sameWay(x.change(), f.DeltaNs) || memberPart*magnitude(x.change()) < magnitude(f.DeltaNs)
	})
	slices.SortFunc(list, func(x, y subject) int {
		return cmp.Or(cmp.Compare(magnitude(y.change()), magnitude(x.change())), strings.Compare(x.text, y.text))
	})
	sum, words := int64(0), []string(nil)
	for _, x := range list[:min(len(list), mostMembers)] {
		sum, words = sum+x.change(), append(words, value(x.text))
	}
	if 2*magnitude(sum) < magnitude(f.DeltaNs) || len(words) == 0 {
		return ""
	}
	return ", above all for " + strings.Join(words, " and ")
}

// subjectsOf returns what the calls of a function are about. Cost is linear in all calls.
func (s *study) subjectsOf(id uint32) (list []subject) {
	at := map[string]int{}
	var r trace.ArgsReader
	for _, sd := range []pair.Side{pair.A, pair.B} {
		ids := s.p.IDs(sd)
		for _, th := range s.p.Trace(sd).Threads {
			if th.Kind == trace.Sums {
				continue
			}
			until := 0
			for i, fn := range th.Fn {
				if s.same[ids[fn]] != id {
					continue
				}
				text := r.Args(th, i)
				k, known := at[string(text)]
				if !known {
					k = len(list)
					at[string(text)], list = k, append(list, subject{text: string(text)})
				}
				list[k].calls[sd]++
				if i >= until {
					until = th.Next(i)
					list[k].ns[sd] += th.Dur(i)
				}
			}
		}
	}
	return list
}

// tellApart reports whether argument texts tell the calls of a side apart, on both sides, and half
// of those of the side with fewer are there on the other side.
func tellApart(list []subject, t [2]*total) bool {
	var distinct [2]int64
	common := int64(0)
	for _, x := range list {
		for sd, n := range x.calls {
			if n > 0 && x.text != "" {
				distinct[sd]++
			}
		}
		if min(x.calls[pair.A], x.calls[pair.B]) > 0 && x.text != "" {
			common++
		}
	}
	return 2*distinct[pair.A] >= t[pair.A].calls && 2*distinct[pair.B] >= t[pair.B].calls &&
		2*common >= min(distinct[pair.A], distinct[pair.B])
}

// value returns an argument text as a sentence has it: without the key if it has one alone, and of
// a long text what says most, which is a path's end, and another one's beginning.
func value(text string) string {
	var one map[string]string
	if err := json.Unmarshal([]byte(text), &one); err == nil && len(one) == 1 {
		for _, text = range one {
		}
	}
	if strings.Contains(text, "/../") {
		text = path.Clean(text)
	}
	r := []rune(text)
	switch cut := len(r) - longestSubject + 1; {
	case cut <= 1:
		return text
	case strings.HasPrefix(text, "/"):
		return "…" + string(r[cut:])
	default:
		return string(r[:len(r)-cut]) + "…"
	}
}
