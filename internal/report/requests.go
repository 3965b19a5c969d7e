package report

import (
	"diptych/internal/account/explain"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Requests are those that are compared, of two files of distributed traces.
type Requests struct {
	Both[Request]
	// Text is what tables say of them, "" if neither file leaves a choice.
	Text string `json:"-"`
}

// Request is a request, and which it is by duration, the shortest being 1, of those of its file
// with the same root.
type Request struct {
	ID        string `json:"id"`
	Service   string `json:"service"`
	Operation string `json:"operation"`
	Rank      int    `json:"rank"`
	Of        int    `json:"of"`
}

// RequestsOf returns the requests of a pair, nil if the files hold none.
func RequestsOf(p *pair.Pair) *Requests {
	x, y := p.A.ShownRequest(), p.B.ShownRequest()
	if x == nil || y == nil {
		return nil
	}
	of := func(r *trace.Request) Request {
		return Request{r.ID, r.Service, r.Operation, r.Rank, r.Of}
	}
	return &Requests{Both[Request]{A: of(x), B: of(y)}, explain.Requests(p)}
}
