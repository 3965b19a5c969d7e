package otlp

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"pgregory.net/rapid"

	"diptych/internal/trace"
	"diptych/internal/traceio/input"
	"diptych/internal/traceio/text"
)

// The writers of this file are plain: they make a message in memory, as the specification says.

// group is the spans of a resource and a scope.
type group struct {
	resource []pair
	scope    string
	spans    []testSpan
}

type testSpan struct {
	trace, id, parent, name, state, message string // ids in hexadecimal
	kind, code, dropped                     int
	start, end                              int64
	attributes                              []pair
	events                                  []testEvent
	links                                   []testLink
}

type testEvent struct {
	at         int64
	name       string
	attributes []pair
}

type testLink struct {
	trace, span string
	attributes  []pair
}

// pair is a key and a value: a string, bool, int64, float64, []byte, []any of these, or []pair.
type pair struct {
	key   string
	value any
}

func jsonValue(v any) any {
	switch v := v.(type) {
	case string:
		return map[string]any{"stringValue": v}
	case bool:
		return map[string]any{"boolValue": v}
	case int64:
		return map[string]any{"intValue": fmt.Sprint(v)}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return map[string]any{"doubleValue": strings.Replace(fmt.Sprint(v), "Inf", "Inf", 1)}
		}
		return map[string]any{"doubleValue": v}
	case []byte:
		return map[string]any{"bytesValue": base64.StdEncoding.EncodeToString(v)}
	case []any:
		values := []any{}
		for _, e := range v {
			values = append(values, jsonValue(e))
		}
		return map[string]any{"arrayValue": map[string]any{"values": values}}
	case []pair:
		return map[string]any{"kvlistValue": map[string]any{"values": jsonPairs(v)}}
	}
	return map[string]any{}
}

func jsonPairs(list []pair) []any {
	out := []any{}
	for _, p := range list {
		out = append(out, map[string]any{"key": p.key, "value": jsonValue(p.value)})
	}
	return out
}

// toJSON writes each group as a document of its own.
func toJSON(groups []group) []byte {
	var out bytes.Buffer
	for _, g := range groups {
		spans := []any{}
		for _, x := range g.spans {
			events, links := []any{}, []any{}
			for _, e := range x.events {
				events = append(events, map[string]any{"timeUnixNano": fmt.Sprint(e.at), "name": e.name,
					"attributes": jsonPairs(e.attributes)})
			}
			for _, k := range x.links {
				links = append(links, map[string]any{"traceId": k.trace, "spanId": k.span,
					"attributes": jsonPairs(k.attributes)})
			}
			spans = append(spans, map[string]any{"traceId": x.trace, "spanId": strings.ToUpper(x.id),
				"parentSpanId": x.parent, "name": x.name, "kind": x.kind, "traceState": x.state,
				"startTimeUnixNano": fmt.Sprint(x.start), "endTimeUnixNano": fmt.Sprint(x.end),
				"attributes": jsonPairs(x.attributes), "events": events, "links": links,
				"droppedAttributesCount": x.dropped, "flags": 257,
				"status": map[string]any{"code": x.code, "message": x.message}})
		}
		data, _ := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
			"resource": map[string]any{"attributes": jsonPairs(g.resource)},
			"scopeSpans": []any{map[string]any{"scope": map[string]any{"name": g.scope, "version": "1"},
				"spans": spans}}}}})
		out.Write(append(data, '\n'))
	}
	return out.Bytes()
}

func message1(out []byte, number protowire.Number, body []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(out, number, protowire.BytesType), body)
}

func varint(out []byte, number protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(out, number, protowire.VarintType), n)
}

func fixed(out []byte, number protowire.Number, n uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(out, number, protowire.Fixed64Type), n)
}

func wireValue(v any) (out []byte) {
	switch v := v.(type) {
	case string:
		return message1(out, anyString, []byte(v))
	case bool:
		return varint(out, anyBool, protowire.EncodeBool(v))
	case int64:
		return varint(out, anyInt, uint64(v))
	case float64:
		return fixed(out, anyDouble, math.Float64bits(v))
	case []byte:
		return message1(out, anyBytes, v)
	case []any:
		var list []byte
		for _, e := range v {
			list = message1(list, 1, wireValue(e))
		}
		return message1(out, anyList, list)
	case []pair:
		return message1(out, anyPairs, wirePairs(nil, 1, v))
	}
	return nil
}

func wirePairs(out []byte, number protowire.Number, list []pair) []byte {
	for _, p := range list {
		body := message1(nil, pairKey, []byte(p.key))
		out = message1(out, number, message1(body, pairValue, wireValue(p.value)))
	}
	return out
}

func wireID(text string) []byte {
	id, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return id
}

func wireSpan(x testSpan) []byte {
	out := message1(nil, spanTrace, wireID(x.trace))
	out = message1(out, spanID, wireID(x.id))
	out = message1(out, spanState, []byte(x.state))
	if x.parent != "" {
		out = message1(out, spanParent, wireID(x.parent))
	}
	out = message1(out, spanName, []byte(x.name))
	out = varint(out, spanKind, uint64(x.kind))
	out = fixed(fixed(out, spanStart, uint64(x.start)), spanEnd, uint64(x.end))
	out = varint(wirePairs(out, spanAttributes, x.attributes), spanDropped, uint64(x.dropped))
	for _, e := range x.events {
		body := message1(fixed(nil, eventTime, uint64(e.at)), eventName, []byte(e.name))
		out = message1(out, spanEvents, wirePairs(body, eventAttributes, e.attributes))
	}
	for _, k := range x.links {
		body := message1(message1(nil, linkTrace, wireID(k.trace)), linkSpan, wireID(k.span))
		out = message1(out, spanLinks, wirePairs(body, linkAttributes, k.attributes))
	}
	status := varint(message1(nil, statusMessage, []byte(x.message)), statusCode, uint64(x.code))
	out = message1(out, spanStatus, status)
	return protowire.AppendFixed32(protowire.AppendTag(out, 16, protowire.Fixed32Type), 257) // flags
}

// toWire writes each group as a message of its own, with its length before it or not.
func toWire(groups []group, framed bool) (out []byte) {
	for _, g := range groups {
		scope := message1(nil, scopeSpansScope, message1(message1(nil, scopeName, []byte(g.scope)), scopeVersion, []byte("1")))
		for _, x := range g.spans {
			scope = message1(scope, scopeSpansSpans, wireSpan(x))
		}
		body := message1(nil, groupResource, wirePairs(nil, resourceAttributes, g.resource))
		body = message1(message1(body, groupScopes, scope), groupSchema, []byte("https://example.com/schema"))
		body = message1(nil, tracesResourceSpans, body)
		if framed {
			out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
		}
		out = append(out, body...)
	}
	return out
}

// drawValue draws a value of an attribute.
func drawValue(t *rapid.T, depth int) any {
	switch k := rapid.IntRange(0, 7).Draw(t, "kind of value"); {
	case k == 0:
		return rapid.Bool().Draw(t, "bool")
	case k == 1:
		return rapid.Int64().Draw(t, "int")
	case k == 2:
		return float64(rapid.Int32().Draw(t, "eighths")) / 8
	case k == 3:
		return rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes")
	case k == 4 && depth < 3:
		list := []any{}
		for range rapid.IntRange(0, 3).Draw(t, "values") {
			list = append(list, drawValue(t, depth+1))
		}
		return list
	case k == 5 && depth < 3:
		return drawPairs(t, depth+1)
	case k == 6:
		return nil
	}
	return rapid.String().Draw(t, "text")
}

func drawPairs(t *rapid.T, depth int) []pair {
	list := []pair{}
	for range rapid.IntRange(0, 3).Draw(t, "pairs") {
		list = append(list, pair{rapid.StringN(0, 5, -1).Draw(t, "key"), drawValue(t, depth)})
	}
	return list
}

const origin = 1_700_000_000_000_000_001

// drawGroups draws spans of two traces.
func drawGroups(t *rapid.T) []group {
	groups, n := make([]group, rapid.IntRange(1, 3).Draw(t, "groups")), 0
	for k := range groups {
		g := &groups[k]
		g.resource = append(drawPairs(t, 0), pair{"service.name", fmt.Sprint("service ", k%2)})
		g.scope = rapid.SampledFrom([]string{"", "lib"}).Draw(t, "scope")
		for range rapid.IntRange(1, 5).Draw(t, "spans") {
			n++
			x := testSpan{trace: strings.Repeat("0a", 15) + rapid.SampledFrom([]string{"01", "02"}).Draw(t, "trace"),
				id: fmt.Sprintf("%016x", n+0xa0), name: rapid.String().Draw(t, "name"), attributes: drawPairs(t, 0),
				kind: rapid.IntRange(0, 7).Draw(t, "kind"), code: rapid.IntRange(0, 3).Draw(t, "code"),
				dropped: rapid.IntRange(0, 2).Draw(t, "dropped"),
				message: rapid.SampledFrom([]string{"", "failed"}).Draw(t, "message"),
				state:   rapid.SampledFrom([]string{"", "a=b"}).Draw(t, "state")}
			if up := rapid.IntRange(0, n-1).Draw(t, "parent"); up > 0 {
				x.parent = fmt.Sprintf("%016x", up+0xa0)
			}
			x.start = origin + rapid.Int64Range(0, 100).Draw(t, "start")
			x.end = x.start + rapid.Int64Range(0, 100).Draw(t, "took")
			for range rapid.IntRange(0, 2).Draw(t, "events") {
				x.events = append(x.events, testEvent{x.start + 1, rapid.StringN(0, 5, -1).Draw(t, "event"), drawPairs(t, 0)})
			}
			for range rapid.IntRange(0, 1).Draw(t, "links") {
				x.links = append(x.links, testLink{x.trace, fmt.Sprintf("%016x", 0xa1), drawPairs(t, 0)})
			}
			g.spans = append(g.spans, x)
		}
	}
	return groups
}

// loadBytes loads a file from memory.
func loadBytes(data []byte) (*trace.Trace, error) {
	b := trace.NewBuilder("otlp")
	src := &input.Source{Path: "memory", Stream: bytes.NewReader(data), Head: data[:min(len(data), input.HeadSize)]}
	if err := Load(context.Background(), src, input.Options{}, b); err != nil {
		return nil, err
	}
	return b.Build(context.Background())
}

func asText(tr *trace.Trace) string {
	var out bytes.Buffer
	if err := text.Write(&out, tr); err != nil {
		panic(err)
	}
	return out.String()
}
