package legend

// Threads explains the colours of calls by what their time went into, and of waits.
func Threads(o Options) []Entry {
	w := o.Palette.Waits()
	entries := []Entry{
		{"neither", solid(w.Busy)},
		{"waiting", Swatch{Gradient, stops(w.Waiting)}},
		{"I/O", Swatch{Gradient, stops(w.Operating)}},
	}
	if o.ByObject {
		entries = append(entries,
			Entry{"same objects", solid(w.Same)},
			Entry{"some of its objects", solid(w.Shared)},
			Entry{"others", solid(w.Other)})
	}
	if o.Compared {
		entries = append(entries, Entry{"thick: changed", one(Outline, o.Palette.Secondary)})
	}
	return entries
}
