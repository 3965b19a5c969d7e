package report

import (
	"context"
	"io"
	"iter"
	"strconv"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/trace"
)

// WriteSpeedscope writes aligned threads as a file for speedscope, by its JSON schema
// (https://www.speedscope.app/file-format-schema.json). Each pair of threads becomes up to three
// evented profiles, which speedscope lists one after the other: the calls of A and those of B in
// real time, and both on virtual time as one stack, whose frames say what only one side has. The
// one that speedscope opens on is that of A of the pair with the most calls. Memory depends on the
// largest pair and on the functions, not on the trace.
func WriteSpeedscope(ctx context.Context, w io.Writer, results []*align.Result, sides Sides,
	report progress.Func) error {
	times := int64(2) // to find the frames, and to write
	if sides == Difference {
		times++
	}
	s := &speedscope{out: w, sides: sides, pass: newPass(ctx, results, times, report)}
	if err := s.frames(results); err != nil {
		return err
	}
	for _, r := range results {
		if err := s.pair(r); err != nil {
			return err
		}
	}
	if s.profiles == 0 { // a file without profiles is none that readers take
		if err := s.profile("no calls", trace.Nanoseconds, 0, 0, func(func(*slice) bool) {}); err != nil {
			return err
		}
	}
	s.text = append(s.text, "\n]"...)
	s.text = strconv.AppendInt(append(s.text, `,"activeProfileIndex":`...), int64(s.active), 10)
	s.text = append(s.text, "}\n"...)
	s.flush()
	return s.err
}

// speedscope writes profiles. The first error stays.
type speedscope struct {
	out   io.Writer
	text  []byte // what has not been written yet
	err   error
	sides Sides
	*pass

	numbers          map[frame]int // of the frames that occur
	open             []openFrame
	profiles, active int
	most             int // calls of the pair that is active
}

type openFrame struct {
	frame int
	end   int64
}

func (s *speedscope) flush() {
	if s.err == nil {
		_, s.err = s.out.Write(s.text)
	}
	s.text = s.text[:0]
}

// frames begins the file with all frames that occur.
func (s *speedscope) frames(results []*align.Result) error {
	s.text = append(s.text, `{"$schema":"https://www.speedscope.app/file-format-schema.json",`+
		`"exporter":"diptych","shared":{"frames":[`...)
	s.numbers = map[frame]int{}
	var places *sources
	for _, r := range results {
		if places == nil {
			places = sourcesOf(r.Pair)
		}
		for side, th := range r.Threads {
			for i := range th.Len() {
				if s.sides.has(pair.Side(side)) {
					s.know(r, frameOf(r, pair.Side(side), i, false), places)
					if s.combines(r) {
						s.know(r, frameOf(r, pair.Side(side), i, true), places)
					}
				}
				if err := s.step(1); err != nil {
					return err
				}
			}
		}
	}
	s.text = append(s.text, "\n]},\n\"profiles\":["...)
	return s.err
}

// combines reports whether a pair gets a profile of both sides.
func (s *speedscope) combines(r *align.Result) bool {
	return s.sides == Difference && r.Indices[pair.A] >= 0 && r.Indices[pair.B] >= 0
}

// know writes a frame if it is new.
func (s *speedscope) know(r *align.Result, f frame, places *sources) {
	if _, ok := s.numbers[f]; ok {
		return
	}
	s.separate(len(s.numbers) == 0)
	s.numbers[f] = len(s.numbers)
	s.text = append(append(s.text, `{"name":`...), quoted(f.name(r.Pair.Names))...)
	if file := places.file[f.id]; file != "" {
		s.text = append(append(s.text, `,"file":`...), quoted(file)...)
		if line := places.line[f.id]; line > 0 {
			s.text = strconv.AppendInt(append(s.text, `,"line":`...), int64(line), 10)
		}
	}
	s.text = append(s.text, '}')
	if len(s.text) >= block {
		s.flush()
	}
}

// separate begins an element of a list on a line of its own.
func (s *speedscope) separate(first bool) {
	if !first {
		s.text = append(s.text, ',')
	}
	s.text = append(s.text, '\n')
}

// pair writes the profiles of a pair.
func (s *speedscope) pair(r *align.Result) error {
	first := s.profiles
	for side, th := range r.Threads {
		if !s.sides.has(pair.Side(side)) || th.Len() == 0 {
			if err := s.step(int64(th.Len())); err != nil {
				return err
			}
			continue
		}
		from, to := th.Span()
		name := pair.Side(side).String() + ": " + title(r)
		if err := s.profile(name, r.Pair.Unit(), from, to, s.calls(r, pair.Side(side))); err != nil {
			return err
		}
	}
	calls := r.Threads[pair.A].Len() + r.Threads[pair.B].Len()
	if s.profiles > first && calls > s.most {
		s.most, s.active = calls, first
	}
	if s.sides != Difference {
		return nil
	}
	if !s.combines(r) {
		return s.step(int64(calls))
	}
	v, err := r.Virtual(s.ctx)
	if err != nil {
		return err
	}
	return s.profile("A ↔ B: "+title(r), r.Pair.Unit(), 0, v.Length, (&layout{Virtual: v}).status())
}

// calls yields the slices of a side in real time.
func (s *speedscope) calls(r *align.Result, side pair.Side) iter.Seq[*slice] {
	return func(yield func(*slice) bool) {
		th := r.Threads[side]
		sl := slice{calls: 1}
		for i := range th.Len() {
			sl.at, sl.end, sl.depth = th.Start(i), th.End(i), th.Depth(i)
			if sl.shown = frameOf(r, side, i, false); !yield(&sl) {
				return
			}
		}
	}
}

// profile writes slices as begins and ends.
func (s *speedscope) profile(name string, unit trace.Unit, from, to int64,
	slices iter.Seq[*slice]) error {
	s.separate(s.profiles == 0)
	s.profiles++
	s.text = append(append(s.text, `{"type":"evented","name":`...), quoted(name)...)
	s.text = append(append(s.text, `,"unit":`...), speedscopeUnit(unit)...)
	s.text = strconv.AppendInt(append(s.text, `,"startValue":`...), from, 10)
	s.text = strconv.AppendInt(append(s.text, `,"endValue":`...), to, 10)
	s.text = append(s.text, `,"events":[`...)
	first := true
	for sl := range slices {
		number := s.numbers[sl.shown]
		s.closeDownTo(int(sl.depth))
		s.event('O', sl.at, number, first)
		s.open = append(s.open, openFrame{number, sl.end})
		first = false
		if err := s.step(sl.calls); err != nil {
			return err
		}
		if s.err != nil {
			return s.err
		}
	}
	s.closeDownTo(0)
	s.text = append(s.text, "\n]}"...)
	return s.err
}

// closeDownTo closes the frames that are not callers of one at the given depth.
func (s *speedscope) closeDownTo(depth int) {
	for len(s.open) > depth {
		last := s.open[len(s.open)-1]
		s.open = s.open[:len(s.open)-1]
		s.event('C', last.end, last.frame, false)
	}
}

func (s *speedscope) event(kind byte, at int64, frame int, first bool) {
	if len(s.text) >= block {
		s.flush()
	}
	s.separate(first)
	s.text = append(append(s.text, `{"type":"`...), kind)
	s.text = strconv.AppendInt(append(s.text, `","at":`...), at, 10)
	s.text = strconv.AppendInt(append(s.text, `,"frame":`...), int64(frame), 10)
	s.text = append(s.text, '}')
}

// speedscopeUnit returns a unit as speedscope calls it, which knows few.
func speedscopeUnit(u trace.Unit) []byte {
	switch u {
	case trace.Nanoseconds:
		return []byte(`"nanoseconds"`)
	case "bytes":
		return []byte(`"bytes"`)
	}
	return []byte(`"none"`)
}
