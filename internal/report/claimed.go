package report

import (
	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// DiffClaim is a number of a finding that can be counted again, on each side: of a function, of its
// calls by a caller ("" for roots), in threads, or of its waits for an object. Without a function
// and a thread it is of the whole run.
type DiffClaim struct {
	Quantity string        `json:"quantity"`
	Function string        `json:"function"`
	Caller   *string       `json:"caller"`
	Thread   *Both[string] `json:"thread"`
	Object   *Both[string] `json:"object,omitzero"` // "" for none
	A        int64         `json:"a"`
	B        int64         `json:"b"`
}

// diffClaims returns what a finding claims, with threads by their ids.
func diffClaims(p *pair.Pair, claims []finding.Claim) []DiffClaim {
	list := []DiffClaim{}
	for _, c := range claims {
		d := DiffClaim{Quantity: c.Quantity.String(), Function: c.Function, Caller: c.Caller,
			A: c.Values[pair.A], B: c.Values[pair.B]}
		if a, b := c.Thread[pair.A], c.Thread[pair.B]; a != nil || b != nil {
			d.Thread = &Both[string]{diffThread(p.A, a), diffThread(p.B, b)}
		}
		if a, b := c.Object[pair.A], c.Object[pair.B]; a != nil || b != nil {
			d.Object = &Both[string]{diffObject(p.A, a), diffObject(p.B, b)}
		}
		list = append(list, d)
	}
	return list
}

// diffThread returns the id of a thread, "" for none.
func diffThread(t *trace.Trace, k *int) string {
	if k == nil {
		return ""
	}
	return t.Threads[*k].ID
}

// diffObject returns the name of an object, "" for none.
func diffObject(t *trace.Trace, k *int) string {
	if k == nil || *k < 0 {
		return ""
	}
	return t.Objects[*k].Name
}
