package traceio_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestOtherFilesTakeLittle opens an archive of many small files none of which is a recording: each
// is looked at for every format, which takes no buffers for each of these.
func TestOtherFilesTakeLittle(t *testing.T) {
	const files, most = 100, 400 << 10 // bytes allocated a file
	var members []member
	for i := range files {
		members = append(members, member{fmt.Sprint(i), []byte("text")})
	}
	path := put(t, "a.tar", rolled(t, "", members))
	before := allocated()
	if _, err := load(path); err == nil || !strings.Contains(err.Error(), "without a trace") {
		t.Fatalf("error %v", err)
	}
	if took := (allocated() - before) / files; took > most {
		t.Errorf("%d bytes a file", took)
	}
}
