package chrome

import (
	"encoding/json"
	"strings"
)

// toolMembers are the members of the outermost object that can name the tool that recorded the
// trace.
var toolMembers = map[string]bool{
	"metadata": true, "otherData": true, "viztracer_metadata": true, "beginningOfTime": true,
	"deviceProperties": true,
}

// tool returns the name of the recording tool, with its version where it is known, or "".
func tool(kept map[string][]byte) string {
	if v := member(kept["viztracer_metadata"], "version"); v != "" {
		return "viztracer " + v
	}
	for _, object := range []string{"metadata", "otherData"} {
		for _, name := range []string{"tool", "product-version", "user-agent", "version", "source"} {
			if v := product(member(kept[object], name)); v != "" {
				return v
			}
		}
	}
	switch {
	case kept["beginningOfTime"] != nil:
		return "clang -ftime-trace"
	case kept["deviceProperties"] != nil:
		return "Kineto"
	}
	return ""
}

// product shortens what tools say of themselves: a browser lists its ancestors, uftrace what it was
// built with.
func product(v string) string {
	for word := range strings.FieldsSeq(v) {
		if strings.Contains(word, "Chrome/") {
			return word
		}
	}
	v, _, _ = strings.Cut(v, " (")
	return strings.TrimSpace(v)
}

// member returns a string member of a JSON object, or "".
func member(object []byte, name string) string {
	var m map[string]json.RawMessage
	var v string
	if json.Unmarshal(object, &m) != nil || json.Unmarshal(m[name], &v) != nil {
		return ""
	}
	return v
}
