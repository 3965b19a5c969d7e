package pprof

import "google.golang.org/protobuf/encoding/protowire"

// The library makes a structure, with maps, of every message, and a message may be empty: two
// bytes. So what a profile will take is estimated before the library reads it.
const (
	messageBytes = 256 // a sample, a label or a line with the maps and slices that point to it
	valueBytes   = 20  // a packed value of one byte: a word, and a pointer to what it stands for
)

// weigh estimates from above how many bytes a profile.proto will take when it is decoded. Text, as
// in the older formats, is soon no such message and weighs little.
func weigh(data []byte) int64 {
	messages := fields(data, func(field protowire.Number, body []byte) int64 {
		if field != sampleField && field != locationField {
			return 0
		}
		return fields(body, func(protowire.Number, []byte) int64 { return 0 })
	})
	return messages*messageBytes + int64(len(data))*valueBytes
}

// fields counts the fields of a message that have a length, and adds what inner counts in them.
func fields(data []byte, inner func(protowire.Number, []byte) int64) (n int64) {
	for len(data) > 0 {
		field, kind, used := protowire.ConsumeTag(data)
		if used < 0 {
			return n
		}
		data = data[used:]
		if kind == protowire.BytesType {
			body, used := protowire.ConsumeBytes(data)
			if used < 0 {
				return n
			}
			n += 1 + inner(field, body)
			data = data[used:]
			continue
		}
		if used = protowire.ConsumeFieldValue(field, kind, data); used < 0 {
			return n
		}
		data = data[used:]
	}
	return n
}
