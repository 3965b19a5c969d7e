package typeface

import "unicode"

// before is how many characters of what two names share are kept, at most, ahead of the first in
// which they differ: the word that they differ in begins there.
const before = 4

// Differing returns a name that stands beside another one, shortened to width px so that the first
// place in which they differ is still seen. What is left out is in the middle, or at the left where
// there is no room for a beginning:
//
//	bigcache-1shard, bigcache-512shards   big…1shard, big…512shards   …512shards
//
// Names that differ early, or are equal, are cut at the end.
func Differing(name, other string, width, size float32, bold bool) string {
	if Width(name, size, bold) <= width {
		return name
	}
	all := []rune(name)
	at := firstDifference(all, []rune(other))
	if at == len(all) && name == other || Width(string(all[:min(at+fewest, len(all))])+ellipsis, size, bold) <= width {
		return cut(name, width, size, bold)
	}
	tail := string(all[wordBefore(all, at):])
	room := width - Width(ellipsis+tail, size, bold)
	if room < 0 {
		return ellipsis + cut(tail, width-Width(ellipsis, size, bold), size, bold)
	}
	n := 0
	for ; n < at; n++ {
		if room -= Width(string(all[n]), size, bold); room < 0 {
			break
		}
	}
	return string(all[:n]) + ellipsis + tail
}

// firstDifference returns the index of the first character of a that b has not at the same place.
func firstDifference(a, b []rune) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// wordBefore returns where the word begins that the character at an index belongs to, but no more
// than a few characters before it. At the end of the name that is its last word. A capital after a
// small letter begins a word, as Service does in ThreadPoolServiceThread.
func wordBefore(all []rune, at int) int {
	from := at
	for from > 0 && at-from < before && (unicode.IsLetter(all[from-1]) || unicode.IsDigit(all[from-1])) {
		if from < len(all) && unicode.IsUpper(all[from]) && unicode.IsLower(all[from-1]) {
			break
		}
		from--
	}
	return from
}
