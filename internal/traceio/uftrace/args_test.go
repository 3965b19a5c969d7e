package uftrace

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"diptych/internal/traceio/input"
)

// Layouts of arguments come from several places; these are the rules for which one counts.
func TestLayouts(t *testing.T) {
	i := info{
		argSpec: "foo@arg1/x,retval/c;^ba.@arg1/u;bar@arg1/i8;only;mod@lib,arg1/s;c@fparg1,arg1/p",
		retSpec: "bar@retval/s;^ba.@retval/x;nothing",
		argAuto: "known@arg1/s,arg2/e:mode;only@arg3/t16:pair%RDI+RSI;_ZN2ns1fEv@arg1/f80%stack+1",
		retAuto: "only@retval/f32",
	}
	table := newArgTable(context.Background(), &i, true, &input.Faults{})
	always := table
	always.always = true
	for _, c := range []struct {
		table        *argTable
		name, module string
		want         string
	}{
		{&table, "foo", "prog", "x8 | c1"},
		{&table, "bar", "prog", "i1 | s8"}, // named before matched
		{&table, "baz", "prog", "u8 | x8"},
		{&table, "only", "prog", "t16pair | "},
		{&table, "nothing", "prog", " | "},
		{&table, "known", "prog", " | "},
		{&always, "known", "prog", "s8 e8mode | "},
		{&always, "ns::f", "prog", "f10 | "},
		{&table, "mod", "prog", " | "},
		{&table, "mod", "libm.so", "s8 | "},
		{&table, "c", "prog", "f8 p8 | "},
	} {
		l := c.table.layoutOf(context.Background(), c.name, c.module, "prog", 'T', layout{})
		var b strings.Builder
		for i, list := range [][]item{l.args, l.rets} {
			for k, it := range list {
				if k > 0 {
					b.WriteByte(' ')
				}
				fmt.Fprintf(&b, "%c%d%s", it.format, it.size, it.typ)
			}
			if i == 0 {
				b.WriteString(" | ")
			}
		}
		if b.String() != c.want {
			t.Errorf("%s in %s: %q, want %q", c.name, c.module, b.String(), c.want)
		}
	}
}

func TestValues(t *testing.T) {
	v := values{order: binary.LittleEndian,
		symbol: func(addr uint64) string { return map[uint64]string{0x10: "main"}[addr] },
		enum: func(_ string, n int64) string {
			e := enums{}
			e.define("enum open {RD = 00, WR = 01, CREAT = 0100, TRUNC = 01000}")
			return e.format("open", n)
		},
	}
	for _, c := range []struct {
		item item
		data string
		want string
	}{
		{item{format: 'd', size: 8}, "\x05\x00\x00\x00\x00\x00\x00\x00", "5"},
		{item{format: 'd', size: 8}, "\xfb\xff\xff\xff\x00\x00\x00\x00", "-5"},
		{item{format: 'd', size: 8}, "\xfb\xff\xff\xff\xff\xff\xff\xff", "-5"},
		{item{format: 'd', size: 8}, "\x00\x00\x00\x00\x01\x00\x00\x00", "0x100000000"},
		{item{format: 'd', size: 4}, "\x00\x00\x01\x00", "65536"},
		{item{format: 'd', size: 4}, "\x00\x00\x10\x00", "0x100000"},
		{item{format: 'i', size: 2}, "\xff\xff", "-1"},
		{item{format: 'u', size: 1}, "\xff", "255"},
		{item{format: 'u', size: 4}, "\xff\xff\xff\xff", "0xffffffff"},
		{item{format: 'x', size: 4}, "\x00\x00\x00\x00", "0"},
		{item{format: 'x', size: 2}, "\x34\x12", "0x1234"},
		{item{format: 'o', size: 4}, "\x08\x00\x00\x00", "010"},
		{item{format: 'p', size: 8}, "\x10\x00\x00\x00\x00\x00\x00\x00", "&main"},
		{item{format: 'p', size: 8}, "\x20\x00\x00\x00\x00\x00\x00\x00", "0x20"},
		{item{format: 'p', size: 8}, "\x00\x00\x00\x00\x00\x00\x00\x00", "0"},
		{item{format: 'c', size: 1}, "'", `'\''`},
		{item{format: 'c', size: 1}, "\n", `'\n'`},
		{item{format: 's', size: 8}, "\x05\x00ab\x00cd", `"ab"`},
		{item{format: 's', size: 8}, "\x05\x00\xc3\xa9\xff\x1b\\", `"é\xff\x1b\\"`},
		{item{format: 's', size: 8}, "\x04\x00\xff\xff\xff\xff", "NULL"},
		{item{format: 'S', size: 8}, "\x01\x00a", `"a"s`},
		{item{format: 't', size: 4, typ: "pt"}, "abcd", "pt{...}"},
		{item{format: 't', typ: "tag"}, "", "tag{}"},
		{item{format: 'f', size: 4}, "\x00\x00\xc0\x3f", "1.500000"},
		{item{format: 'f', size: 10}, "\x00\x00\x00\x00\x00\x00\x00\xc0\xff\xbf", "-1.500000"},
		{item{format: 'e', size: 8}, "\x41\x00\x00\x00\x00\x00\x00\x00", "CREAT|WR"},
		{item{format: 'e', size: 8}, "\x00\x00\x00\x00\x00\x00\x00\x00", "RD"},
		{item{format: 'e', size: 8}, "\x42\x00\x00\x00\x00\x00\x00\x00", "CREAT|WR+0x1"},
	} {
		got, n, err := v.text(nil, []item{c.item}, []byte(c.data))
		if want := (len(c.data) + 7) &^ 7; err != nil || string(got) != c.want || n != want {
			t.Errorf("%c%d %q: %s, %d bytes, %v; want %s, %d bytes",
				c.item.format, c.item.size, c.data, got, n, err, c.want, want)
		}
		if len(c.data) > 0 {
			if _, _, err := v.text(nil, []item{c.item}, []byte(c.data)[:len(c.data)-1]); err == nil {
				t.Errorf("%c%d %q: short, but no error", c.item.format, c.item.size, c.data)
			}
		}
	}
}
