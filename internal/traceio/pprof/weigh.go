package pprof

import "google.golang.org/protobuf/encoding/protowire"

// The library makes a structure, with maps, of every message, and a message may be empty: two
// bytes. So what a profile will take is estimated before the library reads it.
const (
	messageBytes = 256 // a sample, a label or a line with the maps and slices that point to it
	valueBytes   = 20  // a packed value of one byte: a word, and a pointer to what it stands for
	otherBytes   = 128 // any other message, or a string; and its bytes, which are copied

	// What is made of samples.
	frameBytes = 160 // of a stack: the call in a tree that it may become
	nodeBytes  = 100
)

// weigh estimates from above how many bytes a profile.proto will take when it is decoded. The
// older formats have no empty pieces.
func weigh(data []byte) int64 {
	if !isProto(data) {
		return int64(len(data)) * valueBytes
	}
	return fields(data, func(field protowire.Number, body []byte) int64 {
		if field != sampleField && field != locationField {
			return otherBytes + 2*int64(len(body))
		}
		within := fields(body, func(_ protowire.Number, body []byte) int64 {
			return max(messageBytes-int64(len(body))*valueBytes, 0)
		})
		return messageBytes + within + int64(len(body))*valueBytes
	})
}

// fields adds up what inner says of the fields of a message that have a length.
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
			n += inner(field, body)
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
