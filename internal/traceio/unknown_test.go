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

// TestWhyNothingIsFound: an error of a file without a sound record names one that is not.
func TestWhyNothingIsFound(t *testing.T) {
	path := put(t, "a.json", []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"96","spanId":"b4",
"name":"f","startTimeUnixNano":"11651379494838206464","endTimeUnixNano":"11651379494838206464"}]}]}]}`))
	_, err := load(path)
	const want = "no span of a trace: 1× bad-record: before offset 169: span b4 begins at no sound time"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v", err)
	}
}
