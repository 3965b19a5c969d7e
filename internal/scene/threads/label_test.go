package threads

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/geom"
	"diptych/internal/scene"
	"diptych/internal/typeface"
)

// TestLabelsAreNeverWrong: what a circle says is the whole id or count, or a part of an id that is
// marked as such, or nothing; and it fits.
func TestLabelsAreNeverWrong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`×?[0-9]{1,7}|[a-z]{1,9}`).Draw(t, "id")
		width, size := rapid.Float32Range(0, 60).Draw(t, "width"), float32(10)
		text, got := fit(id, width, size, leastLabel)
		if text != "" && typeface.Width(text, got, true) > width+.01 {
			t.Errorf("%q in %v px becomes %q, which is wider", id, width, text)
		}
		if got > size || got < leastLabel {
			t.Errorf("%q has size %v", id, got)
		}
		rest, cut := strings.CutPrefix(text, "…")
		if !cut {
			rest, cut = strings.CutSuffix(text, "…")
		}
		if text != "" && text != id && (!cut || !strings.Contains(id, rest) || id[0] > 'z') {
			t.Errorf("%q in %v px becomes %q", id, width, text)
		}
	})
}

// TestWideLabelsLieWithinTheRing: not over the stacks around it, wherever on the ring they are.
func TestWideLabelsLieWithinTheRing(t *testing.T) {
	s := newSketch()
	for k := range 6 {
		s.named(fmt.Sprint(536870911+k), fmt.Sprintf("rank %d", k)).call(0, 1000, "run", func() {})
	}
	st := whole(t, s.find(t), 0, Options{Idle: true})
	v := Build(&st, geom.Size{W: 1200, H: 1000}, nil)
	wide := 0
	for k := range v.labels {
		d := &v.labels[k]
		x, y := float64(abs(d.at.X-v.Ring.Centre.X)+d.half), float64(d.at.Y-v.Ring.Centre.Y)
		if r := float32(math.Hypot(x, y)) + d.radius; r > v.Ring.Zero-labelIn*v.dp+.5 {
			t.Errorf("%s reaches %v px from the centre, the stacks begin at %v", d.text, r, v.Ring.Zero)
		}
		if d.half > 0 {
			wide++
		}
	}
	if wide < 2 {
		t.Errorf("%d labels are wide, the test needs more", wide)
	}
}

// TestLabelsWithoutProcess: where numbers of threads tell them apart, that of the process is left
// out, and the name beside has its room.
func TestLabelsWithoutProcess(t *testing.T) {
	for _, c := range []struct {
		ids, want []string // the first thread is the one in the middle
	}{
		{[]string{"7/7", "12460/12499", "12387/12503"}, []string{"12499", "12503"}},
		{[]string{"1/0", "2/0", "3/0"}, []string{"2/0", "3/0"}}, // ranks of MPI
		{[]string{"1/0", "2/0", "2/1"}, []string{"2/0", "2/1"}},
	} {
		s := newSketch()
		for k, id := range c.ids {
			th := s.b.Thread(id, s.b.Process(fmt.Sprint(k)))
			th.SetName(fmt.Sprint("worker ", string(rune('a'+k))))
			hand{s, th}.call(0, 1000, "run", func() {})
		}
		st := whole(t, s.find(t), 0, Options{Idle: true})
		said := textsOf(Build(&st, geom.Size{W: 1200, H: 1000}, nil).Scene)
		for _, want := range c.want {
			if !slices.Contains(said, want) {
				t.Errorf("of %q it says %q", c.ids, said)
			}
		}
	}
}

// TestNamesThatBeginAlike: of two names that have no room, what tells them apart is left.
func TestNamesThatBeginAlike(t *testing.T) {
	s := newSketch()
	for k, name := range []string{"main", "ThreadPoolForegroundWorker", "ThreadPoolServiceThread"} {
		s.named(fmt.Sprint(12499+k), name).call(0, 1000, "run", func() {})
	}
	st := whole(t, s.find(t), 0, Options{Idle: true})
	v := Build(&st, geom.Size{W: 300, H: 460}, nil)
	said := strings.Join(textsOf(v.Scene), "|")
	if !strings.Contains(said, "…Fore") && !strings.Contains(said, "…Serv") {
		t.Errorf("it says %q", said)
	}
}

// TestNamesDoNotRepeatLabels: of a name around the number in the label, what is left is written.
func TestNamesDoNotRepeatLabels(t *testing.T) {
	s := newSketch()
	for _, id := range []string{"3113936", "3126441", "3126442"} {
		s.named(id, "thread "+id+" (python3.8)").call(0, 1000, "run", func() {})
	}
	st := whole(t, s.find(t), 0, Options{Idle: true})
	said := textsOf(Build(&st, geom.Size{W: 1200, H: 1000}, nil).Scene)
	if slices.Contains(said, "thread 3126441 (python3.8)") || !slices.Contains(said, "python3.8") {
		t.Errorf("it says %q", said)
	}
}

// crowdTrace is a main thread and n workers of one role, which hand a token around.
func crowdTrace(n int) *sketch {
	s := newSketch()
	main := s.named("0", "main")
	main.call(0, 1000, "main", func() { main.release(10, "sem_post", "token 0") })
	for k := range n {
		w := s.named(fmt.Sprint(k+1), fmt.Sprintf("worker %d", k+1))
		at := 10 + 900*float64(k)/float64(n)
		w.call(0, 1000, "run", func() {
			w.wait(5, at+1, "sem_wait", fmt.Sprintf("token %d", k))
			w.release(at+900/float64(n), "sem_post", fmt.Sprintf("token %d", k+1))
		})
	}
	return s
}

// named adds a thread with an id of its own.
func (s *sketch) named(id, name string) hand {
	th := s.b.Thread(id, -1)
	th.SetName(name)
	return hand{s, th}
}

// TestCountOfManyThreadsIsWhole: a section of hundreds of threads says how many they are, be the
// ring ever so small, and beside it stands what they are called.
func TestCountOfManyThreadsIsWhole(t *testing.T) {
	a := crowdTrace(868).find(t)
	st := whole(t, a, 0, Options{})
	for _, size := range []geom.Size{{W: 1200, H: 900}, {W: 300, H: 320}, {W: 160, H: 260}} {
		v := Build(&st, size, nil)
		said := textsOf(v.Scene)
		for _, text := range said {
			if strings.HasPrefix(text, "×") && text != "×868" {
				t.Errorf("at %v it says %q", size, text)
			}
		}
		if all := strings.Join(said, "|"); !strings.Contains(all, "×868") || size.W > 1000 &&
			!strings.Contains(all, "worker") {
			t.Errorf("at %v it says %q", size, said)
		}
	}
}

// textsOf returns all texts of a scene.
func textsOf(s *scene.Scene) (all []string) {
	for _, l := range s.Layers {
		for _, text := range l.Texts {
			all = append(all, text.Text)
		}
	}
	return all
}

// TestMembersOfARoleWaitForEachOther: bands between threads that share a section are drawn.
func TestMembersOfARoleWaitForEachOther(t *testing.T) {
	st := whole(t, crowdTrace(60).find(t), 0, Options{})
	v := Build(&st, geom.Size{W: 1000, H: 800}, nil)
	knots := 0
	for k := range v.ribbons {
		if r := &v.ribbons[k]; r.wait >= 0 && r.place >= 0 && int(v.waits.Waits.By[r.wait].Thread) > 0 {
			knots++
		}
	}
	if knots == 0 || knots > mostKnots {
		t.Errorf("%d bands between workers", knots)
	}
}

// TestManyShortWaitsAreSeenAtRest: where few waits are wide enough, shapes stand for the others
// though nothing is pointed at, and the foot says so; where all are wide enough, there are none.
func TestManyShortWaitsAreSeenAtRest(t *testing.T) {
	s := newSketch()
	post, take := s.thread("post"), s.thread("take")
	post.call(0, 1000, "main", func() {
		for k := range 2000 {
			post.release(float64(k)/2+.1, "sem_post", "sem")
		}
	})
	take.call(0, 1000, "run", func() {
		for k := range 2000 {
			take.wait(float64(k)/2+.05, float64(k)/2+.14, "sem_wait", "sem")
		}
	})
	st := whole(t, s.find(t), 0, Options{})
	v := Build(&st, geom.Size{W: 800, H: 700}, nil)
	if len(v.ribbons) == 0 || !v.Compounds || len(v.ribbons) > 2*mostCompound {
		t.Errorf("%d shapes for %d waits, of which %d are drawn", len(v.ribbons), v.Total, v.Shown)
	}
	if all := strings.Join(textsOf(v.Scene), "|"); !strings.Contains(all, "faint bands") {
		t.Errorf("it says %q", all)
	}
	st.View = geom.Span{Start: 10e6, End: 11e6}
	if v = Build(&st, geom.Size{W: 800, H: 700}, nil); v.Compounds || v.Shown != v.Total {
		t.Errorf("zoomed in, %d of %d waits are drawn", v.Shown, v.Total)
	}
}

// TestNeighboursDifferInColour: sections that come to lie beside each other with hues that are hard
// to tell apart have different shades, and all others their own colour.
func TestNeighboursDifferInColour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		st := someState(t, someTrace(t))
		for k := range st.Sections {
			st.Sections[k].Hue = rapid.SampledFrom([]float64{10, 20, 120, 350}).Draw(t, "hue")
		}
		b := builder{st: &st, a: &Arena{}, pal: st.Palette, cols: st.Palette.Waits()}
		b.shade()
		for k := range st.Sections {
			own := st.Palette.Waits().Thread(st.Sections[k].Hue)
			tint := b.hue(k)
			if k == 0 || math.Abs(math.Remainder(st.Sections[k].Hue-st.Sections[k-1].Hue, 360)) >= likeHues {
				if tint != own {
					t.Fatalf("section %d is %v, its own colour is %v", k, tint, own)
				}
				continue
			}
			shaded := tint != own
			before := b.hue(k-1) != st.Palette.Waits().Thread(st.Sections[k-1].Hue)
			if shaded == before {
				t.Fatalf("sections %d and %d are %v and %v", k-1, k, b.hue(k-1), tint)
			}
		}
	})
}
