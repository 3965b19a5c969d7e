package chrome

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"diptych/internal/testtrace/deepeq"
	"diptych/internal/trace"
	"diptych/internal/traceio/text/texttest"
)

// everything is a trace with something of all that the loader knows, in no order.
func everything(n int) []byte {
	random := rand.New(rand.NewPCG(1, 2))
	at := func() int { return random.IntN(n) }
	forms := []func(b *bytes.Buffer, i int){
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"X","pid":%d,"tid":%d,"ts":%d.25,"dur":%d,"name":"f%d","cat":"c%d"}`,
				i%3, i%40, i, random.IntN(5)-1, at()%97, i%5)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"X","pid":1,"tid":%d,"ts":%d,"dur":2,"name":"Source","args":{"detail":"/a/%d.h:3"}}`,
				i%4, i, at()%50)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph": "%c", "pid": 7, "tid": %d, "ts": %d, "name": "g%d", "args": {"x": %d}}`,
				"BE"[random.IntN(2)], i%6, at(), i%3, i)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"%c","pid":7,"tid":8,"ts":%d,"name":"a%d","id":%d,"cat":"async"}`,
				"ben"[random.IntN(3)], i, i%4, i%30)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"%c","pid":1,"tid":%d,"ts":%d,"name":"w","cat":"f","id":%d}`,
				"stf"[random.IntN(3)], i%40, i, i%20)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"X","pid":2,"tid":2,"ts":%d,"dur":1,"name":"w","bind_id":"%d","flow_%s":true}`,
				i, at()%9, []string{"in", "out"}[random.IntN(2)])
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"C","pid":%d,"ts":%d,"name":"n","args":{"a":%d,"b":1}}`, i%5, i, i)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"M","pid":%d,"tid":%d,"name":"thread_name","args":{"name":"t%d"}}`, i%3, i%40, i%40)
		},
		func(b *bytes.Buffer, i int) {
			fmt.Fprintf(b, `{"ph":"i","pid":1,"tid":1,"ts":%d,"name":"CommitLoad","args":{"data":{"isMainFrame":true,"url":"u%d"}}}`,
				i, i)
		},
		func(b *bytes.Buffer, i int) { b.WriteString(`{"ph":"?","broken`) },
		func(b *bytes.Buffer, i int) { fmt.Fprintf(b, `{"ph":"N","ts":%d}`, at()) },
	}
	return list(n, func(b *bytes.Buffer, i int) { forms[min(random.IntN(5*len(forms)), 4*len(forms))%len(forms)](b, i) })
}

// TestAlike holds that a trace is the same for any number of processors, any size of the pieces in
// which it is read, and however few names a worker remembers.
func TestAlike(t *testing.T) {
	text := everything(2500)
	want, err := loadText(text, len(text)+1)
	if err != nil {
		t.Fatal(err)
	}
	if want.Calls() < 800 || len(want.Links) == 0 || len(want.Counters) == 0 || len(want.Diagnostics) < 4 {
		t.Fatalf("%d calls, %d links, %d counters, %v", want.Calls(), len(want.Links), len(want.Counters),
			want.Diagnostics)
	}
	defer func(n int) { mostWords = n }(mostWords)
	for _, procs := range []int{1, 2, 7} {
		for _, size := range []int{300, 5000, 100_000} {
			for _, mostWords = range []int{10, 1 << 16} {
				got := atOnce(t, text, procs, size)
				if !deepeq.Equal(want, got) {
					t.Fatalf("%d processors, blocks of %d, %d words:\n%s", procs, size, mostWords,
						cmp.Diff(texttest.Show(want), texttest.Show(got)))
				}
			}
		}
	}
}

func atOnce(t *testing.T, text []byte, procs, size int) *trace.Trace {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	tr, err := loadText(text, size)
	if err != nil {
		t.Fatal(err)
	}
	return tr
}
