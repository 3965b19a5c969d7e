package pair

import (
	"regexp"
	"strings"
)

var (
	// address is where code lay in one run: an offset into a function, or an address with the
	// brackets, the separator or the " at " that introduce it.
	address = regexp.MustCompile(`\s*[\[(<]0[xX][0-9a-fA-F]+[\])>]|` +
		`(?:\s+at\s+|\s*[+@]\s*|\s+|\b)0[xX][0-9a-fA-F]+\b`)

	// cloned is what compilers append to a function that they copied, split or specialised. It is
	// noise only at the end of a name, so that Go's pkg.part or pkg.cold.func1 keep theirs.
	cloned = regexp.MustCompile(`(?:\.(?:constprop|isra|part|lto_priv|llvm)\.\d+|` +
		`\.cold(?:\.\d+)?|\s*\[clone [^\]]*\]|\s*\(\.[a-z][^)]*\))+$`)
)

// Clean returns name without what a compiler or a loader added to it: addresses, .constprop.N,
// .isra.N, .part.N, .lto_priv.N, .llvm.N, .cold and clone suffixes. A name of nothing else is kept
// as it is.
func Clean(name string) string {
	if !strings.ContainsAny(name, ".[") && !strings.Contains(name, "0x") &&
		!strings.Contains(name, "0X") {
		return name
	}
	clean := name
	for last := ""; clean != last; {
		last = clean
		clean = cloned.ReplaceAllString(address.ReplaceAllString(clean, ""), "")
	}
	if strings.TrimSpace(clean) == "" {
		return name
	}
	return clean
}
