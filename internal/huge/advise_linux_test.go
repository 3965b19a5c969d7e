package huge

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// flags returns the kernel's flags of the mapping that holds an address; none if it does not tell.
func flags(t *testing.T, at uintptr) []string {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip("the kernel tells nothing of its mappings: ", err)
	}
	defer f.Close()
	within := false
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var from, to uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &from, &to); n == 2 {
			within = at >= from && at < to
		}
		if rest, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			return strings.Fields(rest)
		}
	}
	return nil
}

// TestAdvised looks whether the kernel has noted what it was asked for ("hg"), from the slice's first
// byte to its last.
func TestAdvised(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("this kernel has no huge pages that one can ask for")
	}
	s := Make[byte](9*page + 123)
	for _, i := range []int{0, len(s) / 2, len(s) - 1} {
		got := flags(t, uintptr(unsafe.Pointer(&s[i])))
		if got == nil {
			t.Skip("the kernel tells no flags")
		}
		if !strings.Contains(" "+strings.Join(got, " ")+" ", " hg ") {
			t.Errorf("byte %d of %d lies in a mapping with flags %v", i, len(s), got)
		}
	}
}
