package chrome

import "iter"

// members yields the names and values of a well-formed JSON object, strings without their quotes
// and still escaped. What is no object has none.
func members(b []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		var s scanner
		i := skipSpace(b, 0)
		if i >= len(b) || b[i] != '{' {
			return
		}
		for i = skipSpace(b, i+1); i < len(b) && b[i] == '"'; i = skipSpace(b, i+1) {
			from := i + 1
			to, next, st := s.key(b, i)
			if st != whole {
				return
			}
			i = skipSpace(b, next)
			end, st := s.value(b, i)
			if st != whole {
				return
			}
			value := b[i:end]
			if value[0] == '"' {
				value = value[1 : len(value)-1]
			}
			if !yield(b[from:to], value) {
				return
			}
			if i = skipSpace(b, end); i >= len(b) || b[i] != ',' {
				return
			}
		}
	}
}
