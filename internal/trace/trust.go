package trace

// Class groups kinds of violations by what they mean for who compares the trace with another.
type Class uint8

const (
	Loss   Class = iota // something that ran is missing
	Clock               // times that cannot be were replaced or left out
	Repair              // calls have an end, a caller or a partner by rule, not by record
	Note                // no call that is read here is lost or changed
)

var classes = map[Code]Class{
	LostRecords: Loss, Truncated: Loss, BadRecord: Loss, BadChecksum: Loss,
	UnknownClock: Loss, MissingParent: Loss,

	ClockJump: Clock, ClockSkew: Clock, ClockSteps: Clock, NegativeDuration: Clock,
	OverlapLane: Repair, UnmatchedEnd: Repair, UnmatchedBegin: Repair, UnboundFlow: Repair,
	SplitCost: Repair, MergedCalls: Repair, NoThread: Repair,
	Reordered: Note, NotUTF8: Note, NotRead: Note, BeyondParent: Note, RepeatedSpan: Note,
	OtherRequests: Note, Beside: Note, NoRecords: Note, NoSymbol: Note,
}

// Class returns the class of a code. One that is not known counts as a loss.
func (c Code) Class() Class { return classes[c] }

var meanings = map[Code]string{
	OverlapLane:      "calls partly overlapped others on their thread and went to a further lane",
	UnmatchedEnd:     "ends closed no open call and were ignored",
	UnmatchedBegin:   "calls had no end and were closed with their caller",
	NegativeDuration: "calls ended before they began and were given no duration",
	Reordered:        "records were out of order and were sorted",
	BadRecord:        "records could not be read and were skipped",
	Truncated:        "the file ends too early; everything before is shown",
	BadChecksum:      "the checksum of the compressed file is wrong; what is shown may be, too",
	UnboundFlow:      "arrows had no call at one of their ends",
	LostRecords:      "the recorder itself lost records",
	NotUTF8:          `names were not UTF-8; each odd byte is written as \x and two digits`,
	ClockJump:        "records with a time that cannot be, far from those around them, were skipped",
	ClockSkew:        "effects were recorded before their causes, so the clocks of processes differ",
	UnknownClock:     "records on a clock that nothing relates to the trace's were skipped",
	MissingParent:    "spans name a parent that the file does not hold; they are shown as roots",
	BeyondParent:     "spans begin before their parent or end after it; their times are as recorded",
	ClockSteps:       "spans were moved by less than a step of their clock, so as to fit their parents",
	RepeatedSpan:     "spans have the same id as another one; all of them are shown",
	OtherRequests:    "further traces are in the file; --trace ID chooses one, and info lists them",
	NotRead:          "records of kinds that are not read here, such as samples, were skipped",
	NoRecords: "threads have no records: they made no calls that were recorded, or their part of " +
		"the recording is lost",
	SplitCost: "functions have several callers, and the file does not say what each caused: it was " +
		"split in the ratio of what the calls cost",
	MergedCalls: "calls that cost little are shown without what they call, for there are too many",
	NoThread:    "calls are of no stated thread; those of one processor are shown as one thread",
	NoSymbol: "frames have no symbol and are called by where their code lies; in a comparison all of " +
		"a library are one function",
	Beside: "further files of the archive were not opened: only the first recording in it is",
}

// Meaning says in a sentence what was wrong, and what became of it.
func (c Code) Meaning() string { return meanings[c] }

// Verdict says how far a comparison can rely on a trace.
type Verdict uint8

const (
	Complete Verdict = iota // nothing is known to be missing, and nothing was changed
	Repaired                // nothing is known to be missing, but something was changed by rule
	Lossy                   // something is missing
)

func (v Verdict) String() string { return [...]string{"complete", "repaired", "lossy"}[v] }

// Meaning says what the verdict means for a comparison.
func (v Verdict) Meaning() string {
	return [...]string{
		"nothing is known to be missing or was changed, so a difference to another run is one of the runs",
		"calls have an end, a caller or a time that was found by rule and not recorded, so a difference " +
			"at such calls can come from the recording",
		"parts of the run are missing, so counts and totals are lower bounds, and what only the other " +
			"run has may have happened in this one too",
	}[v]
}

// Verdict judges a trace by its diagnostics.
func (t *Trace) Verdict() Verdict {
	v := Complete
	for _, d := range t.Diagnostics {
		switch d.Code.Class() {
		case Loss:
			return Lossy
		case Clock, Repair:
			v = Repaired
		}
	}
	return v
}
