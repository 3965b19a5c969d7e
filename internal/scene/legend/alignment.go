package legend

// Alignment explains the states of calls, the strips below them, and what marks calls.
func Alignment(o Options) []Entry {
	a := o.Palette.Alignment()
	entries := []Entry{
		{"equal", solid(a.Equal)},
		{"different function", solid(a.Different)},
		{"only in A", solid(a.GapB)},
		{"only in B", solid(a.GapA)},
	}
	if o.Moved {
		entries = append(entries, Entry{"moved", one(Hatched, a.GapB)})
	}
	entries = append(entries,
		Entry{"dissimilarity: none to all around differs", Swatch{Gradient, stops(a.Heat)}},
		Entry{"skew: A has run longer", solid(a.SkewA)},
		Entry{"B has run longer", solid(a.SkewB)},
	)
	if o.Boxes {
		entries = append(entries, Entry{"calls narrower than a pixel", solid(o.Palette.SubPixel)})
	}
	return entries
}
