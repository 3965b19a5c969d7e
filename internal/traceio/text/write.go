package text

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"diptych/internal/trace"
)

// writer holds what a trace's lines refer to.
type writer struct {
	*bufio.Writer
	t     *trace.Trace
	names map[string]int // functions by name
	row   []byte
}

// Write writes t to w.
func Write(w io.Writer, t *trace.Trace) error {
	out := writer{Writer: bufio.NewWriter(w), t: t, names: map[string]int{}}
	for i := range t.Functions {
		out.names[t.Functions[i].Name]++
	}
	out.head()
	for _, th := range t.Threads {
		out.thread(th)
	}
	for _, c := range t.Correspondences {
		out.correspondence(c)
	}
	for _, l := range t.Links {
		words := []string{"link", out.ref(l.From), out.ref(l.To), "at=" + strconv.FormatInt(l.At, 10),
			"until=" + strconv.FormatInt(l.Until, 10)}
		if l.Part {
			words = append(words, "part")
		}
		out.line(words...)
	}
	for _, c := range t.Counters {
		out.line("counter", word(c.Name), out.process(c.Process))
		for i, at := range c.At {
			out.line(" ", strconv.FormatInt(at, 10), strconv.FormatFloat(c.Value[i], 'g', -1, 64))
		}
	}
	for _, d := range t.Diagnostics {
		out.line("diagnostic", word(string(d.Code)), strconv.FormatUint(d.Count, 10), text(d.Example))
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write trace as text: %w", err)
	}
	return nil
}

// line writes the words that are not empty.
func (w *writer) line(words ...string) {
	for i, s := range words {
		if s == "" {
			continue
		}
		if i > 0 {
			w.WriteByte(' ')
		}
		w.WriteString(s)
	}
	w.WriteByte('\n')
}

func (w *writer) head() {
	t := w.t
	unit, kind, names := "", "", ""
	if t.Unit != trace.Nanoseconds {
		unit = "unit=" + word(string(t.Unit))
	}
	if t.Kind == trace.Profile {
		kind = "profile"
	}
	if t.Symbols {
		names = "symbols"
	}
	w.line("trace", word(t.Format), named("tool", t.Tool), unit, number("origin", t.Origin),
		number("duration", t.Duration), kind, names)
	for _, p := range t.Processes {
		name := "name=" + word(p.Name)
		if p.Name == p.ID {
			name = ""
		}
		w.line("process", word(p.ID), name, number("sort", int64(p.Sort)), named("parent", p.Parent),
			named("host", p.Host))
	}
	for _, o := range t.Objects {
		w.line("object", word(o.Name))
	}
	for _, f := range t.Functions {
		partial := ""
		if f.Partial {
			partial = "partial"
		}
		w.line("func", word(f.Name), named("package", f.Package), named("file", f.File),
			number("line", int64(f.Line)), named("kind", kindNames[f.Kind]), named("off", f.Off.String()), partial)
	}
}

func (w *writer) thread(th *trace.Thread) {
	name, kind := "name="+word(th.Name), ""
	if th.Name == th.ID {
		name = ""
	}
	if th.Kind != trace.Ordinary {
		kind = th.Kind.String()
	}
	sampled := ""
	if th.Sampled {
		sampled = "sampled"
	}
	w.line("thread", word(th.ID), name, w.process(th.Process), number("sort", int64(th.Sort)),
		number("lane", int64(th.Lane)), role(th), kind, sampled)
	block := 0
	for i := range th.Len() {
		block = w.call(th, i, block)
	}
	for _, p := range th.Instants {
		w.line("  !", strconv.FormatInt(p.At, 10), w.function(p.Fn))
	}
}

// role writes what a thread's name and id do not tell of its role.
func role(th *trace.Thread) string {
	role, numbered := trace.DeriveRole(th.ID, th.Name, th.Lane)
	if th.Role == role && th.Numbered == numbered {
		return ""
	}
	text := "role=" + word(th.Role)
	if th.Numbered {
		text += " numbered"
	}
	return text
}

// call writes call i, whose blocks are those from index block on, and returns the index after them.
func (w *writer) call(th *trace.Thread, i, block int) int {
	depth := int(th.Depth(i))
	row := append(w.row[:0], strings.Repeat("  ", min(depth, maxIndent)+1)...)
	row = strconv.AppendInt(row, th.Start(i), 10)
	row = append(row, '+')
	row = strconv.AppendInt(row, th.Dur(i), 10)
	row = append(row, ' ')
	row = append(row, w.function(th.Fn[i])...)
	if depth > maxIndent {
		row = append(row, " depth="+strconv.Itoa(depth)...)
	}
	if args := th.Args(i); args != "" {
		row = append(row, " args="+word(args)...)
	}
	f := th.Flags(i)
	if th.Sampled {
		f &^= trace.Sampled // the thread says it
	}
	if f != 0 {
		row = append(row, " flags="+flagList(f)...)
	}
	for ; block < len(th.Blocks) && int(th.Blocks[block].Call) == i; block++ {
		row = append(row, ' ')
		row = append(row, w.block(th, &th.Blocks[block])...)
	}
	w.row = append(row, '\n')
	w.Write(w.row)
	return block
}

func flagList(f trace.Flags) string {
	var names []string
	for _, n := range flagNames {
		if f&n.flag != 0 {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, ",")
}

func (w *writer) block(th *trace.Thread, b *trace.Block) string {
	s := b.Kind.String()
	for i, o := range th.ObjectsIn(b.Objects) {
		sep := ","
		if i == 0 {
			sep = "="
		}
		s += sep + w.object(o)
	}
	return s
}

func (w *writer) correspondence(c trace.Correspondence) {
	object := ""
	if c.Object != trace.NoObject {
		object = "object=" + w.object(c.Object)
	}
	w.line("correspond", w.ref(c.Wait), w.ref(c.Release), "at="+strconv.FormatInt(c.At, 10),
		number("idle", c.Idle), object)
}

func (w *writer) ref(r trace.CallRef) string {
	return word(w.t.Threads[r.Thread].ID) + ":" + strconv.Itoa(int(r.Call))
}

func (w *writer) function(f trace.FuncID) string {
	name := w.t.Functions[f].Name
	if w.names[name] > 1 {
		return word(name) + "#" + strconv.Itoa(int(f))
	}
	return word(name)
}

func (w *writer) object(o trace.ObjectID) string {
	if o == trace.NoObject {
		return unknown
	}
	return word(w.t.Objects[o].Name)
}

func (w *writer) process(p int32) string {
	if p < 0 {
		return ""
	}
	return "process=" + word(w.t.Processes[p].ID)
}

func named(key, value string) string {
	if value == "" {
		return ""
	}
	return key + "=" + word(value)
}

func number(key string, n int64) string {
	if n == 0 {
		return ""
	}
	return key + "=" + strconv.FormatInt(n, 10)
}

func text(s string) string {
	if s == "" {
		return ""
	}
	return word(s)
}
