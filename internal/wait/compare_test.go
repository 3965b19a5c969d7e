package wait

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/pair"
	"diptych/internal/testtrace"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

func mustCompare(t interface{ Fatal(...any) }, a, b *trace.Trace) *Comparison {
	p := pair.New(a, b, pair.Rules{})
	c, err := Compare(context.Background(), mustFind(t, a), mustFind(t, b), p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// objectPairs writes which objects are paired.
func objectPairs(c *Comparison) string {
	var out []string
	for _, o := range c.Objects {
		names := [2]string{"–", "–"}
		for s, k := range []int32{o.A, o.B} {
			if k >= 0 {
				names[s] = c.Sides[s].Trace.Objects[k].Name
			}
		}
		out = append(out, names[0]+"="+names[1])
	}
	return strings.Join(out, " ")
}

func TestPairObjects(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"names that mean something", `
thread x
  0+1 open io=a.log
  2+1 open io=b.log`, `
thread x
  0+1 open io=b.log
  2+1 open io=c.log`, "a.log=c.log b.log=b.log"},
		{"names that mean something, though most are of one side", `
thread x
  0+1 open io=a.log
  1+1 open io=b.log
  2+1 open io=c.log`, `
thread x
  0+1 open io=c.log
  1+1 open io=d.log
  2+1 open io=e.log`, "a.log=d.log b.log=e.log c.log=c.log"},
		{"descriptors, which mean nothing in another run", `
thread x
  0+1 read io="fd 3"
  1+1 read io="fd 4"
  2+1 read io="fd 5"`, `
thread x
  0+1 read io="fd 5"
  1+1 read io="fd 6"
  2+1 read io="fd 7"`, "fd 3=fd 5 fd 4=fd 6 fd 5=fd 7"},
		{"addresses that most objects of both sides have", `
thread x
  0+1 sem_wait wait=0x1
  1+1 sem_wait wait=0x2
  2+1 sem_wait wait=0x3`, `
thread x
  0+1 sem_wait wait=0x2
  1+1 sem_wait wait=0x1
  2+1 sem_wait wait=0x4`, "0x1=0x1 0x2=0x2 0x3=0x4"},
		{"by who uses them, whatever came first", `
thread p name=producer
  0+4 put
    0+1 sem_wait wait=0xe1
    2+1 sem_post release=0xf1
thread c name=consumer
  1+4 get
    1+1 sem_wait wait=0xf1
    3+1 sem_post release=0xe1`, `
thread c name=consumer
  0+4 get
    0+1 sem_wait wait=0xf2
    3+1 sem_post release=0xe2
thread p name=producer
  1+4 put
    1+1 sem_wait wait=0xe2
    2+1 sem_post release=0xf2`, "0xe1=0xe2 0xf1=0xf2"},
		{"many alike in order of first use", `
thread x
  0+1 mutex_lock wait=0x11
  1+1 mutex_lock wait=0x12
  2+1 mutex_lock wait=0x13`, `
thread x
  0+1 mutex_lock wait=0x22
  1+1 mutex_lock wait=0x21`, "0x11=0x22 0x12=0x21 0x13=–"},
		{"the most similar, never of another kind, never with nothing in common", `
thread x
  0+1 mutex_lock wait=0x11
  1+1 mutex_unlock release=0x11
  2+1 sem_wait wait=0x12
  3+1 futex wait=0x13`, `
thread x
  0+1 mutex_lock wait=0x21
  2+1 sem_post release=0x22
  3+1 futex wait=0x23
  4+1 futex release=0x23`, "0x11=0x21 0x12=– 0x13=0x23 –=0x22"},
		{"the same lock in another function", `
thread x
  0+1 take
    0+1 mutex_lock wait=0x11
  2+1 store
    2+1 mutex_lock wait=0x12`, `
thread x
  0+1 take
    0+1 mutex_lock wait=0x21
  2+1 work
    2+1 mutex_lock wait=0x22`, "0x11=0x21 0x12=0x22"},
		{"by threads that are paired, whatever the program is called", `
thread x name=build.old
  0+9 main
    0+1 work
    2+3 thread_join wait=0x11
    5+1 thread_join wait=0x12`, `
thread y name=build.new
  0+9 main
    0+1 work
    2+3 thread_join wait=0x21
    5+1 thread_join wait=0x22`, "0x11=0x21 0x12=0x22"},
		{"one of several locks in another function", `
thread x
  0+1 store
    0+1 mutex_lock wait=0x11
  2+1 keep
    2+1 mutex_lock wait=0x12`, `
thread x
  2+1 work
    2+1 mutex_lock wait=0x22`, "0x11=– 0x12=– –=0x22"},
	} {
		if got := objectPairs(mustCompare(t, texttest.Parse(t, c.a), texttest.Parse(t, c.b))); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestPairManyObjects holds that any number of objects used alike are paired in order of first use.
func TestPairManyObjects(t *testing.T) {
	const many = 2 * maxUnlike
	locks := func(address int) *trace.Trace {
		b := trace.NewBuilder("test")
		lock := b.Function(trace.Function{Name: "mutex_lock"})
		th := b.Thread("1", -1)
		for i := range many {
			o := b.Object(fmt.Sprintf("%#x", address+(i*7)%many))
			th.Block(th.Complete(int64(i), int64(i), lock), trace.Wait, o)
		}
		return testtrace.Build(t, b)
	}
	for i, o := range mustCompare(t, locks(1<<20), locks(1<<30)).Objects {
		if o.A != o.B || int(o.A) != i {
			t.Fatalf("pair %d is %v", i, o)
		}
	}
}

func TestCompare(t *testing.T) {
	a := texttest.Parse(t, `
thread 1 name=main
  0+9 work
    8+1 sem_post release=0xa
thread 2 name=worker
  1+8 sem_wait wait=0xa`)
	b := texttest.Parse(t, `
thread 7 name=main
  0+30 work
    20+1 sem_post release=0xb
    28+1 sem_post release=0xb
thread 8 name=worker
  0+21 sem_wait wait=0xb
  22+2 sleep wait
thread 9 name=helper
  10+19 sem_wait wait=0xb`)
	c := mustCompare(t, a, b)
	lines := func(rows []Row, name func(int32) string) string {
		var out []string
		for _, r := range rows {
			out = append(out, fmt.Sprintf("%s %s %d %v %v", name(r.Waiter), name(r.Releaser),
				r.Object, r.Count, r.WaitNs))
		}
		return strings.Join(out, "; ")
	}
	paired := func(i int32) string {
		if i < 0 {
			return "–"
		}
		return fmt.Sprint(c.Pair.Threads[i].A, ":", c.Pair.Threads[i].B)
	}
	role := func(i int32) string {
		if i < 0 {
			return "–"
		}
		return c.Names[i]
	}
	for got, want := range map[string]string{
		lines(c.Rows, paired): "-1:2 0:0 0 [0 1] [0 19]; 1:1 0:0 0 [1 1] [8 21]; " +
			"1:1 – -1 [0 1] [0 2]",
		lines(c.Pairs, paired): "-1:2 0:0 -1 [0 1] [0 19]; 1:1 0:0 -1 [1 1] [8 21]",
		lines(c.Roles, role): "helper main 0 [0 1] [0 19]; worker main 0 [1 1] [8 21]; " +
			"worker – -1 [0 1] [0 2]",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	r := c.Roles[1]
	if _, only := r.Only(); only || r.Delta() != 13 || r.Changed(.62) || !r.Changed(.61) {
		t.Error(r)
	}
	if s, only := c.Roles[0].Only(); !only || s != pair.B || !c.Roles[0].Changed(1) {
		t.Error(c.Roles[0])
	}
}

// TestRenamedRole holds that the table has one line for the waits of a main thread, although the
// programs have different names, and that a role which the other side has, too, stays apart.
func TestRenamedRole(t *testing.T) {
	const waits = `
thread 1 name=%s
  0+9 sem_wait wait=0xa
thread 2 name=%s
  1+1 sem_wait wait=0xb`
	for names, want := range map[[2]string]string{
		{"new", "worker"}: "[old worker]", {"new", "fresh"}: "[old worker]",
		{"old", "new"}: "[old worker]",
	} {
		c := mustCompare(t, texttest.Parse(t, fmt.Sprintf(waits, "old", "worker")),
			texttest.Parse(t, fmt.Sprintf(waits, names[0], names[1])))
		if got := fmt.Sprint(c.Names); got != want || len(c.Roles) != 2 {
			t.Errorf("%s: roles %s, %v", names, got, c.Roles)
		}
	}
}

// TestOneRoleIsRenamedOnce holds that of two roles that only B has, one is a role that only A has.
func TestOneRoleIsRenamedOnce(t *testing.T) {
	const waits = "thread 1 name=%s\n  0+9 sem_wait wait=0xa\nthread 2 name=%s\n  1+1 sem_wait wait=0xb"
	c := mustCompare(t, texttest.Parse(t, fmt.Sprintf(waits, "old-1", "old-2")),
		texttest.Parse(t, fmt.Sprintf(waits, "new", "fresh")))
	if got := fmt.Sprint(c.Names); got != "[old fresh]" {
		t.Errorf("roles %s", got)
	}
}

// TestCompareLosesNothing holds that the tables of a comparison add up to those of its sides, and
// that objects are paired one to one, a trace's with its own where it meets itself.
func TestCompareLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := mustCompare(t, someTrace(t), someTrace(t))
		for name, rows := range map[string][]Row{"rows": c.Rows, "roles": c.Roles} {
			var got, want [2]int64
			for s, a := range c.Sides {
				for _, r := range rows {
					got[s] += r.WaitNs[s]
				}
				for n := range a.Threads {
					if a.Counts(n) {
						want[s] += a.Threads[n].WaitNs
					}
				}
			}
			if got != want {
				t.Fatalf("%s come to %v, want %v", name, got, want)
			}
		}
		var seen [2]map[int32]bool
		for s := range seen {
			seen[s] = map[int32]bool{}
		}
		for _, o := range c.Objects {
			for s, k := range []int32{o.A, o.B} {
				if k >= 0 && seen[s][k] {
					t.Fatalf("%s's object %d twice in %v", pair.Side(s), k, c.Objects)
				}
				seen[s][k] = true
			}
		}
		tr := c.Sides[pair.A].Trace
		for _, o := range mustCompare(t, tr, tr).Objects {
			if o.A != o.B {
				t.Fatalf("a trace's objects with its own: %v", o)
			}
		}
	})
}

// TestRole takes the role that is stated, and the title where there is none.
func TestRole(t *testing.T) {
	for want, th := range map[string]*trace.Thread{
		"worker":    {ID: "1", Name: "worker 12", Role: "worker"},
		"thread 12": {ID: "1", Name: "12"},
	} {
		if got := Role(th); got != want {
			t.Errorf("%q is %q, want %q", th.Name, got, want)
		}
	}
}
