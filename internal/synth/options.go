package synth

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Kind is a kind of edit.
type Kind uint8

const (
	Insert  Kind = iota // a new call with what it calls
	Delete              // a call dropped with its subtree
	Rename              // a function under another name throughout; the rate is per function
	Move                // a subtree taken two or more places further among its siblings
	Swap                // two adjacent siblings exchanged
	Slow                // a call's self time multiplied by 2 to 16
	Repeat              // a call run one to three times more
	Contend             // a call in a guarded section takes 8 to 64 times as long; rate per section
	Shard               // a mutex split into two to four; rate per mutex
	kinds
)

var kindNames = [kinds]string{"insert", "delete", "rename", "move", "swap", "slow", "repeat",
	"contend", "shard"}

func (k Kind) String() string {
	if k < kinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// MarshalText writes the name.
func (k Kind) MarshalText() ([]byte, error) {
	if k >= kinds {
		return nil, fmt.Errorf("no such kind of edit: %d", uint8(k))
	}
	return []byte(kindNames[k]), nil
}

// UnmarshalText reads the name.
func (k *Kind) UnmarshalText(text []byte) error {
	i := slices.Index(kindNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("no such kind of edit: %q (one of %s)", text, strings.Join(KindNames(), ", "))
	}
	*k = Kind(i)
	return nil
}

// perCall reports whether the rate of the kind is per call.
func (k Kind) perCall() bool { return k != Rename && k != Contend && k != Shard }

// KindNames lists the kinds as ParseEdit takes them.
func KindNames() []string { return slices.Clone(kindNames[:]) }

// ParseEdit reads a kind and its rate per call of side A, like "slow:0.05".
func ParseEdit(s string) (Kind, float64, error) {
	name, number, ok := strings.Cut(s, ":")
	if !ok {
		return 0, 0, fmt.Errorf("edit %q: want kind:rate, like slow:0.05", s)
	}
	var k Kind
	if err := k.UnmarshalText([]byte(name)); err != nil {
		return 0, 0, fmt.Errorf("edit %q: %w", s, err)
	}
	rate, err := strconv.ParseFloat(number, 64)
	if err != nil || !(rate >= 0 && rate <= 1) {
		return 0, 0, fmt.Errorf("edit %q: the rate is a number from 0 to 1", s)
	}
	return k, rate, nil
}

// Format is how a side is written.
type Format uint8

const (
	ByName  Format = iota // Chrome for .json, .json.gz and .json.zst, else Uftrace
	Chrome                // Chrome Trace JSON, compressed by the name's ending
	Uftrace               // a uftrace data directory
)

// ParseFormat reads "", "chrome" or "uftrace".
func ParseFormat(s string) (Format, error) {
	switch s {
	case "":
		return ByName, nil
	case "chrome":
		return Chrome, nil
	case "uftrace":
		return Uftrace, nil
	}
	return 0, fmt.Errorf("no such output format: %q (chrome or uftrace)", s)
}

func (f Format) forPath(path string) Format {
	if f != ByName {
		return f
	}
	plain := strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst")
	if strings.HasSuffix(plain, ".json") {
		return Chrome
	}
	return Uftrace
}

// Options say what is simulated. The zero value of a field means its default.
type Options struct {
	// Calls of side A, exactly; default 100,000. A perturbation has as many whole iterations as are
	// not more calls, by default 300; so have ranks with files, by default 166.
	Calls     int    `json:"calls"`
	Threads   int    `json:"threads"`   // default 8; of a perturbation the ranks, default 64
	Functions int    `json:"functions"` // in the program; default 3,000
	Seed      uint64 `json:"seed"`
	// Ranks is how many MPI ranks run, each with a file of its own; 0 for the program.
	Ranks int `json:"ranks,omitzero"`
	// Exact number of calls of side A that wait; 0 for as many as the program makes.
	Waits int `json:"waits,omitzero"`
	// Situations to play beside the program, by name; a name may come again.
	Situations []string         `json:"situations,omitempty"`
	Edits      map[Kind]float64 `json:"edits"` // rate per call of A, function, section or mutex
	// Noise is that of both sides, drawn for each by itself. Pace is how many times as long
	// everything takes on B's machine; 0 for as long as on A's.
	Noise  Noise   `json:"noise,omitzero"`
	Pace   float64 `json:"pace,omitzero"`
	Format Format  `json:"-"`
}

const (
	maxCalls     = 1 << 31
	maxThreads   = 10_000
	minFunctions = 100
	maxFunctions = 200_000
	leastPace    = 0.001
	mostPace     = 1000
)

// Check returns an error if a value is out of its limits or contradicts another.
func (o Options) Check() error {
	_, err := o.withDefaults()
	return err
}

// UnfitError says that options which Check lets pass do not go together. That is found only once
// the run is planned.
type UnfitError string

func (e UnfitError) Error() string { return string(e) }

func unfit(format string, args ...any) error { return UnfitError(fmt.Sprintf(format, args...)) }

func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Ranks != 0:
		if err := o.checkRankFiles(); err != nil {
			return o, err
		}
	case o.perturbed():
		if err := o.checkRanks(); err != nil {
			return o, err
		}
	}
	setDefault(&o.Calls, 100_000)
	setDefault(&o.Threads, 8)
	setDefault(&o.Functions, 3_000)
	switch {
	case o.Calls < 0 || o.Calls >= maxCalls:
		return o, fmt.Errorf("%d calls: the number lies between 1 and %d", o.Calls, maxCalls-1)
	case o.Threads < 0 || o.Threads > maxThreads:
		return o, fmt.Errorf("%d threads: the number lies between 1 and %d", o.Threads, maxThreads)
	case o.Waits < 0 || o.Waits > o.Calls:
		return o, fmt.Errorf("%d waits: the number lies between 0 and that of calls", o.Waits)
	case o.Functions < minFunctions || o.Functions > maxFunctions:
		return o, fmt.Errorf("%d functions: the number lies between %d and %d",
			o.Functions, minFunctions, maxFunctions)
	}
	for _, name := range o.Situations {
		if !slices.Contains(SituationNames(), name) {
			return o, fmt.Errorf("no such situation: %q (one of %s)", name,
				strings.Join(SituationNames(), ", "))
		}
	}
	if err := o.Noise.check(); err != nil {
		return o, err
	}
	if o.Pace != 0 && !(o.Pace >= leastPace && o.Pace <= mostPace) {
		return o, fmt.Errorf("pace %v: the number lies between %v and %v", o.Pace, leastPace, mostPace)
	}
	sum := 0.0
	for _, k := range slices.Sorted(maps.Keys(o.Edits)) {
		rate := o.Edits[k]
		if k >= kinds || !(rate >= 0 && rate <= 1) {
			return o, fmt.Errorf("edit %v:%v: the rate is a number from 0 to 1", k, rate)
		}
		if k.perCall() {
			sum += rate
		}
	}
	if sum > 1 {
		return o, fmt.Errorf("the rates of the edits add up to %v; a call is edited at most once", sum)
	}
	return o, nil
}

func setDefault(v *int, d int) {
	if *v == 0 {
		*v = d
	}
}
