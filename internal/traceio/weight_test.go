package traceio_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	rtrace "runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/pprof/profile"

	"diptych/internal/testtrace"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// crowd returns a file of n records between a beginning and an end.
func crowd(n int, beginning, end string, record func(i int) string) []byte {
	var out strings.Builder
	out.WriteString(beginning)
	for i := range n {
		out.WriteString(record(i))
	}
	out.WriteString(end)
	return []byte(out.String())
}

// goroutines returns a Go trace of n goroutines that do nothing.
func goroutines(t *testing.T, n int) []byte {
	var out bytes.Buffer
	if err := rtrace.Start(&out); err != nil {
		t.Skip(err) // another test traces
	}
	var all sync.WaitGroup
	for range n {
		all.Go(func() {})
	}
	all.Wait()
	rtrace.Stop()
	return out.Bytes()
}

// profileOf returns a profile of samples that are made of a sound one.
func profileOf(t *testing.T, samples func(one *profile.Sample) []*profile.Sample) []byte {
	p, err := profile.ParseUncompressed(profileHead(t))
	if err != nil {
		t.Fatal(err)
	}
	one := *p.Sample[0]
	one.Value = slices.Repeat([]int64{1}, len(p.SampleType))
	p.Sample = samples(&one)
	var out bytes.Buffer
	if err := p.WriteUncompressed(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// labelled returns a profile of n samples with k labels that all have one text.
func labelled(t *testing.T, n, k int, text string) []byte {
	return profileOf(t, func(one *profile.Sample) (all []*profile.Sample) {
		for i := range n {
			s := *one
			s.Label = map[string][]string{strconv.Itoa(i): slices.Repeat([]string{text}, k)}
			all = append(all, &s)
		}
		return all
	})
}

// inlined returns a profile of one sample, whose stack of 4000 is 80 million calls.
func inlined(t *testing.T) []byte {
	return profileOf(t, func(one *profile.Sample) []*profile.Sample {
		l := one.Location[0]
		l.Line = slices.Repeat(l.Line[:1], 20_000)
		one.Location = slices.Repeat(one.Location[:1], 4000)
		return []*profile.Sample{one}
	})
}

// TestCrowds loads small files in which each record is a thread: with little memory stated, each
// ends in one line that says how to raise the limit; without, it is loaded.
func TestCrowds(t *testing.T) {
	const n = 4800
	inTestdata(t)
	text, _, _ := strings.Cut(string(unpacked(t, "paje/ring-4.trace.gz")), "\n6 ")
	for what, data := range map[string][]byte{
		"threads in Chrome's JSON": crowd(n, "[", "{}]", func(i int) string {
			return fmt.Sprintf(`{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":%d},`, i)
		}),
		"calls in Chrome's JSON that overlap": crowd(3*n, "[", "{}]", func(i int) string {
			return fmt.Sprintf(`{"name":"a","ph":"X","ts":%d,"dur":900000,"pid":1,"tid":1},`, i)
		}),
		"spans of OpenTelemetry that overlap": crowd(n, `{"resourceSpans":[{"scopeSpans":[{"spans":[`, `{}]}]}]}`,
			func(i int) string {
				return fmt.Sprintf(`{"traceId":"a","spanId":"%x","name":"f","startTimeUnixNano":%d,"endTimeUnixNano":%d},`,
					i+1, i+1, i+n)
			}),
		"spans of Jaeger that overlap": crowd(n, `{"data":[{"traceID":"a","processes":{"p":{"serviceName":"s"}},"spans":[`,
			`{}]}]}`, func(i int) string {
				return fmt.Sprintf(`{"traceID":"a","spanID":"%x","operationName":"f","processID":"p",`+
					`"startTime":%d,"duration":%d},`, i+1, i+1, n)
			}),
		"goroutines": goroutines(t, 2*n), // few live at a time, so each takes less
		"containers of Paje": crowd(n, text, "", func(i int) string {
			return fmt.Sprintf("\n6 0 c%d 1 0 c%d\n12 0 2 c%d f 1\n13 1 2 c%d", i, i, i, i)
		}),
	} {
		at := put(t, "crowd", data)
		_, err := traceio.Load(context.Background(), at, input.Options{Memory: 4 << 20})
		want := at + ": it takes more than 4MiB to be decoded, the limit with --memory=4MiB; " +
			"--memory=8MiB raises it"
		if !errors.Is(err, input.ErrLimit) || err.Error() != want {
			t.Errorf("%s: %v", what, err)
		}
		if !strings.Contains(what, "Chrome") && what != "goroutines" {
			continue // two are enough
		}
		if tr, err := load(at); err != nil || len(tr.Threads) < n {
			t.Errorf("%s: with all memory: %v", what, err)
		}
	}
}

// TestMillionsOfGoroutines: a Go trace says with 15 bytes that a goroutine was there. However many
// there are, it is loaded.
func TestMillionsOfGoroutines(t *testing.T) {
	n := testtrace.Sized(200_000, 1_000_000)
	at := put(t, "a.gotrace", goroutines(t, n))
	if tr, err := load(at); err != nil || len(tr.Threads) < n {
		t.Error(err)
	}
}

// TestManyThreads: a JSON trace may have a thread for each of its calls.
func TestManyThreads(t *testing.T) {
	const n = 100_000
	at := put(t, "a.json", crowd(n, "[", "{}]", func(i int) string {
		return fmt.Sprintf(`{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":%d},`, i)
	}))
	if tr, err := load(at); err != nil || len(tr.Threads) != n {
		t.Error(err)
	}
}

// sharedStacks returns a profile that writes two deep stacks once and names them by turns, so that a
// few bytes are a thousand calls.
func sharedStacks(levels, samples int) []byte {
	var prefix, frame, stack, time strings.Builder
	for i := range 2 * levels {
		caller := "null"
		if i%levels > 0 {
			caller = strconv.Itoa(i - 1)
		}
		fmt.Fprintf(&prefix, "%s,", caller)
		fmt.Fprintf(&frame, "%d,", i/levels)
	}
	for i := range samples {
		fmt.Fprintf(&stack, "%d,", levels*(1+i%2)-1)
		fmt.Fprintf(&time, "%d,", i)
	}
	list := func(b *strings.Builder) string { return "[" + strings.TrimSuffix(b.String(), ",") + "]" }
	return fmt.Appendf(nil, `{"meta":{"version":29,"interval":1},"threads":[{"name":"t",`+
		`"tid":1,"samples":{"stack":%s,"time":%s,"length":%d},"stackTable":{"prefix":%s,"frame":%s,`+
		`"length":%d},"frameTable":{"func":[0,1],"length":2},"funcTable":{"name":[0,1],"length":2},`+
		`"stringArray":["f","g"]}]}`, list(&stack), list(&time), samples, list(&prefix), list(&frame),
		2*levels)
}

// TestSaneSize loads a file that takes more memory than files of its size do. The error does not say
// that --memory was small, which nobody stated; what it says to state is enough.
func TestSaneSize(t *testing.T) {
	const levels, samples = 1000, 6000
	at := put(t, "a.json", sharedStacks(levels, samples))
	_, err := load(at)
	if !errors.Is(err, input.ErrLimit) {
		t.Fatal(err)
	}
	said := regexp.MustCompile(`^` + at + `: it takes at least [0-9.]+MiB to be decoded, which is more than ` +
		`the limit for [0-9.]+KiB of data; --memory=(.*) raises it$`).FindStringSubmatch(err.Error())
	if said == nil {
		t.Fatal(err)
	}
	var enough input.Memory
	if err := enough.Set(said[1]); err != nil {
		t.Fatal(err)
	}
	tr, err := traceio.Load(context.Background(), at, input.Options{Memory: enough})
	if err != nil || tr.Calls() != levels*samples {
		t.Error(err)
	}
}

// TestSharedStacks: if memory is stated, the error says what all calls take, and so much is enough.
func TestSharedStacks(t *testing.T) {
	const levels, samples = 1000, 6000
	at := put(t, "a.json", sharedStacks(levels, samples))
	_, err := traceio.Load(context.Background(), at, input.Options{Memory: 4 << 20})
	if !errors.Is(err, input.ErrLimit) {
		t.Fatal(err)
	}
	if want := at + ": it takes at least 126MiB to be decoded"; !strings.HasPrefix(err.Error(), want) {
		t.Fatal(err)
	}
	var enough input.Memory
	_, more, _ := strings.Cut(err.Error(), "; --memory=")
	if err := enough.Set(strings.TrimSuffix(more, " raises it")); err != nil {
		t.Fatal(err)
	}
	tr, err := traceio.Load(context.Background(), at, input.Options{Memory: enough})
	if err != nil || tr.Calls() != levels*samples {
		t.Error(err)
	}
}

// TestShortProcesses loads samples of a machine on which many short processes ran: each is a thread
// with one sample, so it says with a hundred bytes what takes more than a thousand.
func TestShortProcesses(t *testing.T) {
	const n = 60_000
	at := put(t, "build.txt", crowd(n, "", "", func(i int) string {
		return fmt.Sprintf("cc1 %d/%d [%03d] %d.%06d:     250000 cycles:P: \n"+
			"\t    55d1a2b3c4d5 parse+0x1f (/usr/lib/gcc/cc1)\n\n", i+1, i+1, i%8, i/1000, i%1000)
	}))
	if tr, err := load(at); err != nil || len(tr.Threads) != n {
		t.Error(err)
	}
}
