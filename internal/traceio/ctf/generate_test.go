package ctf

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing/fstest"
)

// generator makes random traces: types of all kinds, and events of them, written bit by bit. What
// was written is kept as text, by the plain rules of the format.
type generator struct {
	*rand.Rand
	big    bool
	fields int
}

// field is a random field: its declaration, and a function that writes a value and returns the leaves
// of it that a reader keeps, each as "name=value".
type field struct {
	tsdl  string
	align uint64
	write func(w *bitWriter) []string
}

// order returns how a number that fills bytes is declared to be ordered.
func (g *generator) order(whole bool) (attribute string, big bool) {
	switch g.IntN(4) {
	case 0:
		if whole {
			return "byte_order = le; ", false
		}
	case 1:
		if whole {
			return "byte_order = be; ", true
		}
	}
	return "", g.big
}

// numbers returns a random type of integers, and how to write one.
func (g *generator) numbers() (tsdl string, align, size uint64, signed bool, write func(w *bitWriter, v uint64)) {
	size, align = uint64(1+g.IntN(64)), 1
	if g.IntN(2) == 0 {
		size, align = uint64(8<<g.IntN(4)), uint64(8<<g.IntN(3))
	}
	signed = g.IntN(2) == 0
	order, big := g.order(size%8 == 0 && align >= 8)
	tsdl = fmt.Sprintf("integer { size = %d; align = %d; signed = %v; %s}", size, align, signed, order)
	return tsdl, align, size, signed, func(w *bitWriter, v uint64) {
		w.align(align)
		w.number(v, size, big)
	}
}

func (g *generator) value(size uint64) uint64 {
	v := g.Uint64()
	if size < 64 {
		v &= 1<<size - 1
	}
	return v
}

// printed writes a number as a signed or an unsigned one.
func printed(v, size uint64, signed bool) string {
	if signed {
		return fmt.Sprint(int64(v<<(64-size)) >> (64 - size))
	}
	return fmt.Sprint(v)
}

// field returns a random field.
func (g *generator) field(depth int) field {
	g.fields++
	name := fmt.Sprintf("f%d", g.fields)
	kind := g.IntN(9)
	if depth > 2 {
		kind = g.IntN(4)
	}
	switch kind {
	case 0, 1:
		tsdl, align, size, signed, write := g.numbers()
		return field{tsdl + " " + name + ";", align, func(w *bitWriter) []string {
			v := g.value(size)
			write(w, v)
			return []string{name + "=" + printed(v, size, signed)}
		}}
	case 2:
		return field{"string " + name + ";", 8, func(w *bitWriter) []string {
			s := strings.Repeat("ab", g.IntN(4))
			w.text(s)
			return []string{name + "=" + s}
		}}
	case 3:
		return field{"floating_point { exp_dig = 8; mant_dig = 24; align = 32; } " + name + ";", 32,
			func(w *bitWriter) []string {
				v := float32(g.IntN(1000)) / 8
				w.align(32)
				w.number(uint64(math.Float32bits(v)), 32, w.big)
				return []string{fmt.Sprintf("%s=%v", name, v)}
			}}
	case 4:
		return g.structure(name, depth)
	case 5:
		return g.variant(name, depth)
	}
	return g.array(name, depth, kind)
}

func (g *generator) structure(name string, depth int) field {
	n := 1 + g.IntN(3)
	var all []field
	out := field{align: 1}
	for range n {
		f := g.field(depth + 1)
		all = append(all, f)
		out.tsdl += f.tsdl + " "
		out.align = max(out.align, f.align)
	}
	least := uint64(1 << g.IntN(6))
	out.tsdl = fmt.Sprintf("struct { %s} align(%d) %s;", out.tsdl, least, name)
	out.align = max(out.align, least)
	out.write = func(w *bitWriter) (leaves []string) {
		w.align(out.align)
		for _, f := range all {
			leaves = append(leaves, f.write(w)...)
		}
		return leaves
	}
	return out
}

// variant has an enum of three labels, one of them for two values, before it.
func (g *generator) variant(name string, depth int) field {
	tsdl, align, size, signed, write := g.numbers()
	if size < 4 { // too small for 7
		size, align, signed = 8, 8, false
		tsdl = "integer { size = 8; align = 8; }"
		write = func(w *bitWriter, v uint64) { w.plain(v, 8) }
	}
	options := []field{g.field(depth + 1), g.field(depth + 1), g.field(depth + 1)}
	out := field{align: align, tsdl: fmt.Sprintf("enum : %s { a, b = 2 ... 3, \"c\" = 7 } %st; variant <%st> "+
		"{ struct { %s } a; struct { %s } b; struct { %s } c; } %s;", tsdl, name, name, options[0].tsdl,
		options[1].tsdl, options[2].tsdl, name)}
	out.write = func(w *bitWriter) []string {
		k := g.IntN(4)
		v := []uint64{0, 2, 3, 7}[k]
		write(w, v)
		option := options[[]int{0, 1, 1, 2}[k]]
		w.align(option.align)
		return append([]string{name + "t=" + printed(v, size, signed)}, option.write(w)...)
	}
	return out
}

// array has a length in the metadata, or one in a field before it.
func (g *generator) array(name string, depth, kind int) field {
	item := g.field(depth + 1)
	of := "struct { " + item.tsdl + " }"
	n := g.IntN(4)
	if kind == 6 {
		return field{fmt.Sprintf("%s %s[%d];", of, name, n), item.align, func(w *bitWriter) []string {
			w.align(item.align)
			for range n {
				w.align(item.align)
				item.write(w)
			}
			return nil
		}}
	}
	return field{fmt.Sprintf("integer { size = 8; } %sn; %s %s[%sn];", name, of, name, name), max(8, item.align),
		func(w *bitWriter) []string {
			n := g.IntN(4)
			w.plain(uint64(n), 8)
			w.align(item.align)
			for range n {
				w.align(item.align)
				item.write(w)
			}
			return []string{fmt.Sprintf("%sn=%d", name, n)}
		}}
}

// generated makes a trace of n events, and the lines that describe them: time, name, leaves.
func generated(seed uint64, n int) (dir fstest.MapFS, lines []string) {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 11)), big: seed%2 == 1}
	r := &recorded{bitWriter: bitWriter{big: g.big}}
	classes := make([]field, 1+g.IntN(40))
	for i := range classes {
		classes[i] = g.structure("fields", 0)
		r.class(fmt.Sprintf("app:e%d", i))
	}
	at := uint64(1000)
	var file []byte
	for i := range n {
		if g.IntN(10) == 0 && i > 0 {
			file = append(file, r.next()...)
		}
		at += 1 + uint64(g.IntN(1<<g.IntN(30)))
		k := g.IntN(len(classes))
		r.event(at, 7, 8, "comm", fmt.Sprintf("app:e%d", k))
		leaves := classes[k].write(&r.bitWriter)
		lines = append(lines, fmt.Sprintf("%d app:e%d %s", at+5000, k, strings.Join(leaves, " ")))
	}
	dir = r.folder(append(file, r.packet()...))
	text := string(dir["metadata"].Data)
	for _, c := range classes {
		declared := strings.TrimSuffix(c.tsdl, " fields;")
		text = strings.Replace(text, "fields := struct { };", "fields := "+declared+";", 1)
	}
	dir["metadata"].Data = []byte(text)
	return dir, lines
}

// wrapped returns metadata in packets.
func wrapped(text []byte, order binary.AppendByteOrder) (out []byte) {
	for len(text) > 0 {
		part := text[:min(700, len(text))]
		text = text[len(part):]
		out = order.AppendUint32(out, metadataMagic)
		for i := range byte(16) {
			out = append(out, i)
		}
		out = append(out, 0, 0, 0, 0)
		out = order.AppendUint32(out, uint32(8*(metadataHeader+len(part))))
		out = order.AppendUint32(out, uint32(8*(metadataHeader+len(part)+9)))
		out = append(append(append(out, 0, 0, 0, 1, 8), part...), make([]byte, 9)...)
	}
	return out
}
