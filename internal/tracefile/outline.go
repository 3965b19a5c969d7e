package tracefile

import (
	"errors"
	"fmt"
	"unicode/utf8"
	"unsafe"

	"diptych/internal/trace"
)

// outline is everything of a trace but its columns and texts, as a row of numbers: a text is its
// length, a column where it begins and how many bytes it has, a list the number of its elements.
//
// One description (describe) serves both directions, so that what is written is what is read: each
// of num, text, column and list either appends what its pointer points to or fills that in.
type outline struct {
	numbers []uint64 // written, or not yet read
	text    []byte   // written
	names   string   // not yet read

	to   *writer          // nil while reading
	at   map[*byte]uint64 // columns that were written: lanes of a thread share theirs
	body []byte           // of the file that is read
	err  error            // the first that was met while reading
}

var errDamaged = errors.New("damaged")

func damage(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errDamaged}, args...)...)
}

// outlineOf writes the columns of a trace and returns its outline.
func outlineOf(w *writer, f *trace.Form) *outline {
	o := &outline{to: w, at: map[*byte]uint64{}}
	o.describe(f)
	return o
}

func (o *outline) fail(what string) {
	if o.err == nil {
		o.err = damage("outline: %s", what)
	}
}

// number passes on one number.
func (o *outline) number(v uint64) uint64 {
	switch {
	case o.to != nil:
		o.numbers = append(o.numbers, v)
	case len(o.numbers) == 0:
		o.fail("too short")
		return 0
	default:
		v, o.numbers = o.numbers[0], o.numbers[1:]
	}
	return v
}

// num passes on an integer of any type. One that does not fit its type is damage.
func num[T ~int | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64](o *outline, v *T) {
	n := o.number(uint64(*v))
	if o.to == nil {
		if *v = T(n); uint64(*v) != n {
			o.fail("a number is too large")
		}
	}
}

func (o *outline) flag(v *bool) {
	n := 0
	if *v {
		n = 1
	}
	num(o, &n)
	*o.target(v) = n == 1
}

// target returns v while reading, and a place that nobody looks at while writing: a Trace is not
// written to, not even the value that it has.
func (o *outline) target(v *bool) *bool {
	if o.to != nil {
		return new(bool)
	}
	return v
}

func (o *outline) string(v *string) {
	n := o.number(uint64(len(*v)))
	if o.to != nil {
		o.text = append(o.text, *v...)
		return
	}
	if n > uint64(len(o.names)) || n > 0 && !utf8.RuneStart(o.names[0]) {
		o.fail("text")
		return
	}
	*v, o.names = o.names[:n], o.names[n:]
}

// bytes passes on what has no meaning here.
func (o *outline) bytes(v []byte) []byte {
	column(o, &v)
	return v
}

// column passes on a column of numbers or of structures of numbers.
func column[T any](o *outline, v *[]T) {
	b := memoryOf(*v)
	at := uint64(0)
	if o.to != nil && len(b) > 0 {
		written := false
		if at, written = o.at[&b[0]]; !written {
			at = o.to.put(b)
			o.at[&b[0]] = at
		}
	}
	at, n := o.number(at), o.number(uint64(len(b)))
	if o.to != nil {
		return
	}
	if n > uint64(len(o.body)) || at > uint64(len(o.body))-n {
		o.fail("a column lies outside the file")
		return
	}
	ok := false
	if *v, ok = columnOver[T](o.body[at : at+n : at+n]); !ok {
		o.fail("a column is not aligned")
	}
}

// list passes on a list, each element by itself.
func list[T any](o *outline, v *[]T, each func(*T)) {
	n := o.number(uint64(len(*v)))
	if o.to == nil {
		if n > uint64(len(o.numbers)) { // each has one number at least
			o.fail("a list is too long")
			return
		}
		if n > 0 {
			*v = make([]T, n)
		}
	}
	for i := range *v {
		each(&(*v)[i])
	}
}

// describe passes on all of a trace.
func (o *outline) describe(f *trace.Form) {
	t := f.Trace
	o.string(&t.Format)
	o.string(&t.Tool)
	num(o, &t.Kind)
	o.string((*string)(&t.Unit))
	o.options(&t.Options)
	o.string(&t.SampleType)
	o.flag(&t.Exact)
	num(o, &t.SampleWeight)
	num(o, &t.SteadyWeight)
	num(o, &t.Floor)
	o.flag(&t.Symbols)
	num(o, &t.Origin)
	num(o, &t.Duration)
	list(o, &t.Processes, o.process)
	list(o, &t.Functions, o.function)
	list(o, &t.Objects, func(x *trace.Object) { o.string(&x.Name) })
	list(o, &t.Counters, o.counter)
	list(o, &t.Diagnostics, o.diagnostic)
	list(o, &t.Requests, o.request)
	column(o, &t.CallCounts)
	column(o, &t.Correspondences)
	column(o, &t.Links)
	column(o, &f.LinksFrom)
	column(o, &f.LinksTo)
	list(o, &t.Threads, func(x **trace.Thread) {
		if o.to == nil {
			*x = new(trace.Thread)
		}
		o.thread(*x)
	})
	list(o, &f.Threads, o.threadForm)
	if o.to == nil && !boolsAre(t.Links) {
		o.fail("a link")
	}
}

// options passes on a list that may be unknown, which is not the same as empty.
func (o *outline) options(v *[]string) {
	known := *v != nil
	if o.flag(&known); known && *v == nil {
		*v = []string{}
	}
	list(o, v, o.string)
}

func (o *outline) process(x *trace.Process) {
	o.string(&x.ID)
	o.string(&x.Name)
	num(o, &x.Sort)
	o.string(&x.Parent)
	o.string(&x.Label)
	o.string(&x.Host)
}

func (o *outline) function(x *trace.Function) {
	o.string(&x.Name)
	o.string(&x.Package)
	o.string(&x.Module)
	o.string(&x.File)
	num(o, &x.Line)
	num(o, &x.Kind)
	num(o, &x.Off)
	o.flag(&x.Partial)
}

func (o *outline) counter(x *trace.Counter) {
	num(o, &x.Process)
	o.string(&x.Name)
	column(o, &x.At)
	column(o, &x.Value)
}

func (o *outline) diagnostic(x *trace.Diagnostic) {
	o.string((*string)(&x.Code))
	num(o, &x.Count)
	o.string(&x.Example)
}

func (o *outline) request(x *trace.Request) {
	o.string(&x.ID)
	o.string(&x.Service)
	o.string(&x.Operation)
	num(o, &x.Start)
	num(o, &x.Duration)
	num(o, &x.Spans)
	o.flag(&x.Shown)
	num(o, &x.Rank)
	num(o, &x.Of)
}

func (o *outline) thread(x *trace.Thread) {
	o.string(&x.ID)
	o.string(&x.Name)
	o.string(&x.Role)
	o.flag(&x.Numbered)
	num(o, &x.Kind)
	o.flag(&x.Sampled)
	num(o, &x.Process)
	num(o, &x.Sort)
	num(o, &x.Lane)
	column(o, &x.Fn)
	column(o, &x.Instants)
}

func (o *outline) threadForm(x *trace.ThreadForm) {
	column(o, &x.Base)
	column(o, &x.Spans)
	column(o, &x.Places)
	column(o, &x.Depth)
	column(o, &x.Times)
	column(o, &x.LargePlaces)
	column(o, &x.LargeDepth)
	list(o, &x.Levels, func(l *trace.LevelForm) {
		column(o, &l.Reach)
		column(o, &l.Depth)
	})
	column(o, &x.Flags)
	column(o, &x.Stalls)
	column(o, &x.Args)
	list(o, &x.Texts, func(text *[]byte) { column(o, text) })
	column(o, &x.Blocks.Calls)
	column(o, &x.Blocks.Kinds)
	column(o, &x.Blocks.Ends)
	column(o, &x.Blocks.Objects)
}

// boolsAre reports whether the bools of links are bools: of other bits the language does not say
// what they mean.
func boolsAre(links []trace.Link) bool {
	b := memoryOf(links)
	for at := int(unsafe.Offsetof(trace.Link{}.Part)); at < len(b); at += int(unsafe.Sizeof(trace.Link{})) {
		if b[at] > 1 {
			return false
		}
	}
	return true
}
