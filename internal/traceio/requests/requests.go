// Package requests holds what the formats of distributed traces share: spans that services record
// of the requests they serve, each with the id of its parent, and how they become threads of calls.
// It knows no encoding.
//
// A file mostly holds many traces, one of each request; here they are called requests, for a Trace
// is what is loaded. Spans come in any order, and those of a request need not stand together. So
// all are gathered first (Set); then one request is chosen: the one that the user names, or the one
// that took longest. What becomes of it:
//
//	service               a process
//	span                  a call of "service: operation", with its attributes as arguments; its
//	                      package is the library that recorded it
//	spans of a service    its first lane, a thread. Where siblings overlap, the further ones go to
//	that overlap          further lanes; lanes.go says which
//	parent elsewhere      a causal link from the parent to the span, which is a part of it: in
//	                      another service, or on another lane
//	span links            causal links from the span that is named
//	events, logs          instants, and with their attributes arguments of the span
//	client span whose     a wait, which the end of the part ended
//	part was elsewhere
//
// Times are kept as recorded, with one exception: where the starts of a service are multiples of a
// clock step, a span that does not fit its neighbours because of that step is moved by less than
// the step, or cut; each such span is counted (steps.go). Where clocks differ, a span can begin
// before its parent; that is counted, and the span stands where it says.
package requests

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

// Kind is what a span is to its service.
type Kind uint8

const (
	Unstated Kind = iota
	Internal
	Server
	Client // asks another service, and waits for the answer
	Producer
	Consumer
)

func (k Kind) String() string {
	return [...]string{"", "internal", "server", "client", "producer", "consumer"}[k]
}

// Span is an operation of a service.
type Span struct {
	ID, Parent string // ids as texts; Parent is "" for a root
	Name       string // of the operation
	Start, End int64  // ns since 1970; End is 0 if the span was not ended
	Resource   *Resource
	Scope      string // the library that recorded it, "" if that is not known
	*Detail
	Kind Kind
}

// Detail is what only some spans have.
type Detail struct {
	Args   []byte // members of a JSON object, separated by commas, without its brackets
	Events []Event
	Links  []Link
}

// Event is something that happened during a span.
type Event struct {
	Name string
	At   int64 // ns since 1970
}

// Link names a span that caused another one without being its parent.
type Link struct{ Trace, Span string }

// Resource is what recorded a span: an instance of a service.
type Resource struct {
	Service   string
	Namespace string
	Args      []byte // what else is known of it, as in Detail
}

// unnamed is the service of spans that name none.
const unnamed = "(unknown service)"

// name returns the service's name.
func (r *Resource) name() string {
	if r == nil {
		return unnamed
	}
	return cmp.Or(r.Service, unnamed)
}

// id returns what tells the service from others: names are unique in their namespace only.
func (r *Resource) id() string {
	if r == nil || r.Namespace == "" {
		return r.name()
	}
	return r.Namespace + "/" + r.name()
}

// Set gathers the spans of a file.
type Set struct {
	b     *trace.Builder
	want  string // the request that is asked for; "" for the longest
	byID  map[string]*request
	names map[string]string // of operations, each held once
	last  *request          // that a span was added to; many stand together
}

// request is what is known of a request.
type request struct {
	id    string
	spans []Span // none if another request is asked for
	n     int
	start int64
	end   int64
	root  struct {
		name     string
		resource *Resource
		start    int64
		orphan   bool // it has a parent
	}
}

// NewSet returns an empty set. If one request is wanted, by its id or the beginning of its id, only
// that one is kept.
func NewSet(b *trace.Builder, want string) *Set {
	return &Set{b: b, want: plain(want), byID: map[string]*request{}, names: map[string]string{}}
}

// plain returns an id as it is compared: writers differ in upper and lower case, and in whether an
// id of 64 bits has the zeros that make it one of 128.
func plain(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	if short := strings.TrimLeft(id, "0"); short != "" {
		return short
	}
	return id
}

// longestID is far above the 32 digits that ids have.
const longestID = 256

// Add adds a span of a trace. A span without ids or whose times cannot be is counted instead; it
// stands before an offset of the file.
func (s *Set) Add(id string, x Span, offset int64) {
	if id == "" || x.ID == "" || len(id) > longestID || len(x.ID) > longestID {
		s.bad("before offset %d: a span without ids", offset)
		return
	}
	if x.Start <= 0 || x.Start > trace.Limit || x.End < 0 || x.End > trace.Limit {
		s.bad("before offset %d: span %s begins at %s and ends at %s", offset, x.ID, clock(x.Start),
			clock(x.End))
		return
	}
	r := s.request(id)
	r.n++
	r.start, r.end = min(r.start, x.Start), max(r.end, x.Start, x.End)
	x.Name, x.Scope = s.once(x.Name), s.once(x.Scope)
	orphan := x.Parent != ""
	if r.n == 1 || r.root.orphan && !orphan || r.root.orphan == orphan && x.Start < r.root.start {
		r.root.name, r.root.resource, r.root.start, r.root.orphan = x.Name, x.Resource, x.Start, orphan
	}
	if s.keeps(r) {
		r.spans = append(r.spans, x)
	}
}

// clock writes a time, which a loader makes negative if it is no number or too large.
func clock(ns int64) string {
	if ns < 0 {
		return "no sound time"
	}
	return strconv.FormatInt(ns, 10) + " ns"
}

func (s *Set) bad(format string, args ...any) { s.b.Diagnose(trace.BadRecord, 1, format, args...) }

// request returns the request with an id.
func (s *Set) request(id string) *request {
	if s.last != nil && s.last.id == id {
		return s.last
	}
	key := plain(id)
	r := s.byID[key]
	if r == nil {
		r = &request{id: id, start: math.MaxInt64}
		s.byID[key] = r
	}
	s.last = r
	return r
}

// Wants reports whether the spans of a trace are kept, so that their details are of use.
func (s *Set) Wants(id string) bool { return s.want == "" || strings.HasPrefix(plain(id), s.want) }

func (s *Set) keeps(r *request) bool { return s.want == "" || s.Wants(r.id) }

// once returns one copy of a text, so that names that occur often take memory once.
func (s *Set) once(text string) string {
	if known, ok := s.names[text]; ok {
		return known
	}
	s.names[text] = text
	return text
}

// Len returns the number of requests.
func (s *Set) Len() int { return len(s.byID) }

// Feed feeds the Builder with the request that is asked for, and lists all of them. File names the
// input in errors.
func (s *Set) Feed(ctx context.Context, file string) error {
	all := make([]*request, 0, len(s.byID))
	for _, r := range s.byID {
		all = append(all, r)
	}
	slices.SortFunc(all, func(x, y *request) int {
		return cmp.Or(cmp.Compare(y.end-y.start, x.end-x.start), cmp.Compare(y.n, x.n),
			strings.Compare(x.id, y.id))
	})
	shown, err := s.choose(all)
	if err != nil {
		return &input.FormatError{File: file, Offset: -1, Reason: err.Error()}
	}
	type root struct{ service, operation string }
	of, shorter := map[root]int{}, map[root]int{} // requests: all, and those that are yet to come
	for _, r := range all {
		of[root{r.root.resource.name(), r.root.name}]++
	}
	maps.Copy(shorter, of)
	medians := 0
	for k, r := range all {
		x := root{r.root.resource.name(), r.root.name}
		q := trace.Request{ID: r.id, Service: x.service, Operation: x.operation, Start: r.start,
			Duration: r.end - r.start, Spans: r.n, Shown: r == shown, Rank: shorter[x], Of: of[x]}
		shorter[x]--
		if q.Of > 1 && q.Median() {
			medians++
		}
		if k < mostListed || q.Shown || q.Of > 1 && q.Median() && medians <= mostListed {
			s.b.Request(q)
		}
	}
	if n := len(all) - 1; n > 0 {
		s.b.Diagnose(trace.OtherRequests, uint64(n), "shown is %s%s", s.why(), shown)
	}
	*s = Set{b: s.b, names: s.names} // all else may go
	return feed(ctx, s.b, shown)
}

// mostListed is how many requests are listed; of more the longest are, the one that is shown, and
// the median of those with the same root, if there are several.
const mostListed = 10_000

// why says how the request that is shown was chosen, if it was here.
func (s *Set) why() string {
	if s.want == "" {
		return "the longest: "
	}
	return ""
}

// String names a request in messages.
func (r *request) String() string {
	return fmt.Sprintf("%s (%s: %s, %.6g ms, %s)", r.id, r.root.resource.name(), r.root.name,
		float64(r.end-r.start)/1e6, plural.Of(r.n, "span"))
}

// listed is how many requests an error names.
const listed = 5

// choose returns the request that is asked for among all, which are in order.
func (s *Set) choose(all []*request) (*request, error) {
	if s.want == "" {
		return all[0], nil
	}
	var fits []*request
	for _, r := range all {
		switch id := plain(r.id); {
		case id == s.want:
			return r, nil
		case strings.HasPrefix(id, s.want):
			fits = append(fits, r)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return nil, fmt.Errorf("no trace %s among its %d: %s", s.want, len(all), names(all))
	}
	return nil, fmt.Errorf("%d traces begin with %s: %s", len(fits), s.want, names(fits))
}

// names lists the first requests of a list.
func names(list []*request) string {
	var out []string
	for _, r := range list[:min(len(list), listed)] {
		out = append(out, r.String())
	}
	if n := len(list) - listed; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, ", ")
}
