package gotrace

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"

	xtrace "golang.org/x/exp/trace"

	"diptych/internal/trace"
)

// The library takes a trace of the old format whole or refuses it: it checks that the events of all
// processors agree, so that a single wrong byte costs all of them. A salvage writes such a trace
// anew without what is wrong. It looks for the batches and for the records in them. Where a record
// cannot be read, its batch ends, and the next batch that is recognised is taken up. If the library
// still refuses what is left, a binary search finds the first event in order of time at which it
// does. The trace is kept without that event if the library then takes it, or else up to there.
type salvage struct {
	header, data []byte
	batches      []oldPiece
	timed        []*oldRecord // of all batches, in order of time
	damage       int          // offset in data of the first record that cannot be read, or −1
	clock        []byte       // the record of the clock's speed
	before       *salvage     // what precedes the damage, if that has the clock's speed; else nil
}

// oldPiece is what is readable of a batch: the records behind its head.
type oldPiece struct {
	pid, time uint64
	records   []oldRecord
}

// oldRecord is one record. Samples have times that their batch does not know.
type oldRecord struct {
	at, end int    // offsets in data
	time    uint64 // in ticks
	rank    int    // in order of time; −1 of what has no time
}

// salvaged is a trace that the library takes, why it was broken, and how many events it lacks.
type salvaged struct {
	data  []byte // with the header
	why   error
	lost  uint64
	after bool // what is lost is all that follows a moment
}

// salvageOld returns what the library takes of a trace of the old format that it has refused for
// a reason; nil if that is nothing.
func salvageOld(ctx context.Context, header, data []byte, refused error) *salvaged {
	s := &salvage{header: header, data: data, damage: -1}
	s.read()
	if s.clock == nil {
		return nil // times mean nothing
	}
	n, why := len(s.timed), firstLine(refused)
	if s.damage >= 0 {
		why = fmt.Errorf("no event can be read at offset %d", headerLen+s.damage)
	}
	if whole := s.without(n, n); s.refused(whole) == nil {
		return &salvaged{data: whole, why: why}
	}
	if s.before != nil { // what follows may be another trace
		if data := s.before.without(n, n); s.refused(data) == nil {
			return &salvaged{data: data, why: why}
		}
	}
	var last error // why the library refuses the events up to the first that is too many
	first := sort.Search(n, func(k int) bool {
		err := cmp.Or(ctx.Err(), s.refused(s.without(k+1, n)))
		if err != nil {
			last = err
		}
		return err != nil
	})
	if ctx.Err() != nil || first == 0 || first == n {
		return nil
	}
	if s.damage < 0 {
		why = fmt.Errorf("event at offset %d: %w", headerLen+s.timed[first].at, firstLine(last))
	}
	if data := s.without(first, first+1); s.refused(data) == nil {
		return &salvaged{data: data, why: why, lost: 1}
	}
	return &salvaged{data: s.without(first, n), why: why, lost: uint64(n - first), after: true}
}

// asksLibrary is false while fuzzing: the library takes 32 MiB each time, so that few inputs would
// be tried.
var asksLibrary = true

// refused returns why the library refuses a trace, nil if it takes it.
func (s *salvage) refused(whole []byte) (err error) {
	if !asksLibrary {
		return errors.New("the library is not asked")
	}
	var g guard
	g.run(func() { g.call(func() { _, err = xtrace.NewReader(bytes.NewReader(whole)) }) })
	return cmp.Or(g.fault, err)
}

// read finds the batches and their records.
func (s *salvage) read() {
	heads := oldHeads(s.data)
	texts := map[uint64]bool{}
	for at := 0; at < len(s.data); {
		next := len(s.data)
		if k, _ := slices.BinarySearch(heads, at+1); k < len(heads) {
			next = heads[k]
		}
		end := s.batch(at, next, texts)
		if end < next && !isOldHead(s.data[end:]) {
			if s.damage < 0 && s.clock != nil {
				s.before = &salvage{header: s.header, data: s.data, batches: slices.Clip(s.batches), clock: s.clock}
			}
			s.damaged(end)
			s.lostClock(end, next)
			end = next
		}
		at = end
	}
	for _, b := range s.batches {
		for i := range b.records {
			if r := &b.records[i]; r.rank >= 0 {
				s.timed = append(s.timed, r)
			}
		}
	}
	slices.SortStableFunc(s.timed, func(a, b *oldRecord) int { return cmp.Compare(a.time, b.time) })
	for k, r := range s.timed {
		r.rank = k
	}
}

// damaged notes where a record cannot be read.
func (s *salvage) damaged(at int) {
	if s.damage < 0 {
		s.damage = at
	}
}

// batch reads the batch at an offset, and returns where it ends: at the next one, or before a
// record that cannot be read or that reaches beyond the next batch.
func (s *salvage) batch(at, next int, texts map[uint64]bool) int {
	pid, now, n := oldHead(s.data[at:])
	if n == 0 {
		return at
	}
	b := oldPiece{pid: pid, time: now}
	for at += n; at < next && !isOldHead(s.data[at:]); {
		args, n, ok := oldNumbers(s.data[at:next])
		if typ := s.data[at] & 0x3f; !ok && n > 0 && (typ == oldStack || typ == oldSample) {
			s.damaged(at) // the times of what follows do not depend on it
			at += n
			continue
		} else if !ok {
			break
		}
		r := oldRecord{at: at, end: at + n, rank: -1}
		at += n
		switch typ := s.data[r.at] & 0x3f; typ {
		case oldString:
			if texts[args[0]] {
				continue // the library refuses a number with two texts
			}
			texts[args[0]] = true
		case oldStack, oldTimers:
		case oldFrequency:
			s.clock = s.data[r.at:r.end]
			continue
		case oldSample:
			r.time, r.rank = args[1], 0
		default:
			now += args[0]
			r.time, r.rank = now, 0
		}
		b.records = append(b.records, r)
	}
	s.batches = append(s.batches, b)
	return at
}

// lostClock looks for the clock's speed between a broken record and the next batch: it is the last
// record of its batch, but for those that name the goroutines of timers.
func (s *salvage) lostClock(from, to int) {
	for at := from; at < to && s.clock == nil; at++ {
		if s.data[at] != oldFrequency {
			continue
		}
		args, n, ok := oldNumbers(s.data[at:to])
		if !ok || args[0] < leastSpeed || args[0] > mostSpeed {
			continue
		}
		rest := at + n
		for rest < to && s.data[rest] == oldTimers {
			_, n, ok := oldNumbers(s.data[rest:to])
			if !ok {
				break
			}
			rest += n
		}
		if rest == to {
			s.clock = s.data[at : at+n]
		}
	}
}

// without writes the trace without the events from one rank up to before another. Times count from
// the event before, so behind a gap a batch begins anew.
func (s *salvage) without(from, to int) []byte {
	out := slices.Clone(s.header)
	head := func(pid, time uint64) {
		out = append(out, oldBatch|1<<6)
		out = binary.AppendUvarint(binary.AppendUvarint(out, pid), time)
	}
	t := oldTrace{stacks: map[uint64]bool{}}
	for _, b := range s.batches {
		head(b.pid, b.time)
		var gap uint64 // time of the event that was left out last
		for _, r := range b.records {
			sample := s.data[r.at]&0x3f == oldSample
			if from <= r.rank && r.rank < to {
				if !sample {
					gap = r.time
				}
				continue
			}
			if gap > 0 && r.rank >= 0 && !sample {
				head(b.pid, gap)
				gap = 0
			}
			out = append(out, s.data[r.at:r.end]...)
			t.note(s.data[r.at:r.end])
		}
	}
	out = append(out, s.clock...)
	if t.whole = len(out); !t.complete() {
		out = t.standIn(out)
	}
	return out
}

// diagnose tells what is lost.
func (s *salvaged) diagnose(b *trace.Builder, path string) {
	switch {
	case s.after:
		b.Diagnose(trace.Truncated, s.lost, "%s is broken (%v): that event and all later ones are left out", path, s.why)
	case s.lost > 0:
		b.Diagnose(trace.BadRecord, s.lost, "%s is broken (%v): that event is left out", path, s.why)
	default:
		b.Diagnose(trace.BadRecord, 1, "%s is broken (%v): what cannot be read is left out", path, s.why)
	}
}
