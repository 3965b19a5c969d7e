package report

import (
	"fmt"
	"io"
	"strings"

	"diptych/internal/align/finding"
	"diptych/internal/pair"
	"diptych/internal/trace"
)

// Diff is the JSON object of `diptych diff`.
type Diff struct {
	Findings   []DiffFinding `json:"findings"`
	Similarity float64       `json:"similarity"`
	DurationNs Both[int64]   `json:"durationNs"`
	Pace       float64       `json:"pace"`
	Exceeded   []string      `json:"exceeded,omitzero"` // thresholds as given
	ElapsedNs  Elapsed       `json:"elapsedNs"`

	unit    trace.Unit
	verdict string
}

// DiffFinding is one finding.
type DiffFinding struct {
	Kind     string      `json:"kind"`
	Function string      `json:"function"`
	Calls    Both[int64] `json:"calls"`
	DeltaNs  int64       `json:"deltaNs"`
	Share    float64     `json:"share"`
	A        *DiffPlace  `json:"a"`
	B        *DiffPlace  `json:"b"`
	Waiting  bool        `json:"waiting"`
	// Certainty is certain, likely or chance; Under the index of the finding that this one follows
	// from.
	Certainty string      `json:"certainty"`
	Under     *int        `json:"under"`
	Caller    string      `json:"caller,omitzero"`
	Claims    []DiffClaim `json:"claims"`
	Text      string      `json:"text"`
}

// DiffPlace is a call: a thread by its id, and a pre-order index in it.
type DiffPlace struct {
	Thread string `json:"thread"`
	Call   int32  `json:"call"`
}

// NewDiff describes what was found in p.
func NewDiff(p *pair.Pair, r *finding.Report) *Diff {
	d := &Diff{Findings: []DiffFinding{}, Similarity: r.Similarity, Pace: r.Pace, unit: p.A.Unit, verdict: r.Verdict,
		DurationNs: Both[int64]{r.Durations[pair.A], r.Durations[pair.B]}}
	for i := range r.Findings {
		f := &r.Findings[i]
		d.Findings = append(d.Findings, DiffFinding{Kind: f.Kind.String(), Function: f.Function,
			Calls: Both[int64]{f.Calls[pair.A], f.Calls[pair.B]}, DeltaNs: f.DeltaNs, Share: f.Share,
			A: diffPlace(p.A, f.At[pair.A]), B: diffPlace(p.B, f.At[pair.B]), Waiting: f.Waiting,
			Certainty: f.Certainty.String(), Under: diffUnder(f), Caller: f.Caller,
			Claims: diffClaims(p, f), Text: f.Text})
	}
	return d
}

func diffUnder(f *finding.Finding) *int {
	if f.Under < 0 {
		return nil
	}
	return &f.Under
}

func diffPlace(t *trace.Trace, at *finding.Place) *DiffPlace {
	if at == nil {
		return nil
	}
	return &DiffPlace{Thread: t.Threads[at.Thread].ID, Call: at.Call}
}

// summary says in one sentence how the two compare on the whole.
func (d *Diff) summary() string {
	text := fmt.Sprintf("A takes %s, B %s; %.3g %% similar.", finding.Length(d.DurationNs.A, d.unit),
		finding.Length(d.DurationNs.B, d.unit), 100*d.Similarity)
	if change := d.Pace - 1; change > 0.01 || change < -0.01 {
		text += fmt.Sprintf(" Everything takes %.2f× as long in B; changes are measured relative to that.",
			d.Pace)
	}
	return text
}

// told returns the first findings, as many as the limit (all if it is not positive), and the number
// of the others.
func (d *Diff) told(limit int) ([]DiffFinding, int) {
	if limit <= 0 || limit >= len(d.Findings) {
		return d.Findings, 0
	}
	return d.Findings[:limit], len(d.Findings) - limit
}

// WriteText writes a summary and the findings, a line each, for a terminal.
func (d *Diff) WriteText(w io.Writer, limit int) error {
	var b strings.Builder
	fmt.Fprintln(&b, d.summary())
	list, more := d.told(limit)
	if len(list) > 0 {
		fmt.Fprintln(&b)
	}
	for i, f := range list {
		fmt.Fprintf(&b, "%3d  %-10s %6s  %s\n", i+1, f.Kind, percent(f.Share), f.Text)
	}
	d.finish(&b, len(list), more)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes them as a table, for a comment on a change.
func (d *Diff) WriteMarkdown(w io.Writer, limit int) error {
	var b strings.Builder
	fmt.Fprintln(&b, d.summary())
	list, more := d.told(limit)
	if len(list) > 0 {
		fmt.Fprint(&b, "\n| kind | of the run | what |\n| --- | ---: | --- |\n")
	}
	for _, f := range list {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.Kind, percent(f.Share), markdown.Replace(f.Text))
	}
	d.finish(&b, len(list), more)
	_, err := io.WriteString(w, b.String())
	return err
}

// markdown keeps names of functions from being read as markup.
var markdown = strings.NewReplacer("\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "<", "\\<",
	"`", "\\`")

func (d *Diff) finish(b *strings.Builder, told, more int) {
	switch {
	case told == 0 && more == 0:
		fmt.Fprintf(b, "\n%s\n", d.verdict)
	case more > 0:
		fmt.Fprintf(b, "\n… and %d more.\n", more)
	}
	for _, e := range d.Exceeded {
		fmt.Fprintf(b, "\nThreshold exceeded: %s\n", e)
	}
}

// percent returns a share of the run, nothing for none.
func percent(share float64) string {
	switch p := 100 * share; {
	case p == 0:
		return ""
	case p >= 9.95:
		return fmt.Sprintf("%.0f %%", p)
	default:
		return fmt.Sprintf("%.2g %%", p)
	}
}
