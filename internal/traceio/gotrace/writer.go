package gotrace

import "diptych/internal/trace"

// writer gives threads their records, on a goroutine of its own once there are many: to append them
// costs as much as to find out what they are. Whatever the loader has for the thread of a goroutine
// goes through the writer, in order, so that no two touch a thread at once. Lanes are the loader's.
type writer struct {
	given   int // records and items, until there is a goroutine
	next    *parcel
	shelf   trace.Shelf  // of goroutines that are over
	full    chan *parcel // to be written; closed when nothing more is. nil: no goroutine yet
	written chan *parcel // to be filled; closed when the goroutine is done
}

// parcel is what the goroutine writes at once: for each item, so many of each list.
type parcel struct {
	items    []item
	records  []trace.Brief
	flags    []flagged
	instants []trace.Instant
	panic    any // our own code panicked with this
}

// item is what a thread gets.
type item struct {
	thread                   *trace.ThreadBuilder
	records, flags, instants uint32
	last                     bool // it gets no more
}

type flagged struct {
	call  uint32
	flags trace.Flags
}

const (
	fewGiven      = 1 << 13 // records and items, for which a goroutine does not pay
	parcelRecords = 1 << 10 // from which on a parcel is written
	parcelItems   = 1 << 10
	parcels       = 4
)

// hand has the writer give a thread some records, flags and instants, and perhaps no more after
// these.
func (w *writer) hand(
	t *trace.ThreadBuilder, records []trace.Brief, flags []flagged, instants []trace.Instant,
	last bool,
) {
	x := item{t, uint32(len(records)), uint32(len(flags)), uint32(len(instants)), last}
	if w.full == nil {
		if w.given += 1 + len(records); w.given <= fewGiven {
			w.write(&x, records, flags, instants)
			return
		}
		w.start()
	}
	p := w.next
	if p.records == nil {
		p.records = make([]trace.Brief, 0, parcelRecords+mostRecords)
	}
	p.items = append(p.items, x)
	p.records = append(p.records, records...)
	p.flags = append(p.flags, flags...)
	p.instants = append(p.instants, instants...)
	if len(p.records) >= parcelRecords || len(p.items) >= parcelItems {
		w.send()
	}
}

func (w *writer) start() {
	w.full, w.written = make(chan *parcel, parcels), make(chan *parcel, parcels)
	for range parcels - 1 {
		w.written <- &parcel{}
	}
	w.next = &parcel{}
	go w.run(w.full, w.written)
}

// send has the goroutine write what there is.
func (w *writer) send() {
	w.full <- w.next
	w.next = <-w.written
	p := w.next
	if p.panic != nil {
		panic(p.panic)
	}
	*p = parcel{items: p.items[:0], records: p.records[:0], flags: p.flags[:0],
		instants: p.instants[:0]}
}

func (w *writer) run(full, written chan *parcel) {
	defer close(written)
	for p := range full {
		w.try(p)
		written <- p
	}
}

// try writes a parcel. What our own code panics with, the loader panics with.
func (w *writer) try(p *parcel) {
	defer func() { p.panic = recover() }()
	w.writeAll(p)
}

func (w *writer) writeAll(p *parcel) {
	records, flags, instants := p.records, p.flags, p.instants
	for i := range p.items {
		x := &p.items[i]
		w.write(x, records[:x.records], flags[:x.flags], instants[:x.instants])
		records, flags, instants = records[x.records:], flags[x.flags:], instants[x.instants:]
	}
}

func (w *writer) write(
	x *item, records []trace.Brief, flags []flagged, instants []trace.Instant,
) {
	t := x.thread
	if len(records) > 0 {
		t.Use(&w.shelf)
		t.AppendBrief(records)
	}
	for _, f := range flags {
		t.Flag(t.Call(f.call), f.flags)
	}
	for _, in := range instants {
		t.Instant(in.At, in.Fn)
	}
	if x.last {
		t.Close(&w.shelf)
	}
}

// stop ends the goroutine, waits for it and returns what it panicked with.
func (w *writer) stop() (failed any) {
	if w.full == nil {
		return nil
	}
	close(w.full)
	for p := range w.written {
		if p.panic != nil {
			failed = p.panic
		}
	}
	w.full = nil
	return failed
}

// finish writes what is left.
func (w *writer) finish() {
	if failed := w.stop(); failed != nil {
		panic(failed)
	}
	if w.next != nil {
		w.writeAll(w.next)
		w.next = nil
	}
}
