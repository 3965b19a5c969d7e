package cli

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/escape"
	"diptych/internal/pair"
	"diptych/internal/store"
	"diptych/internal/structure/source"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

const (
	rawNames = "raw-names"
	rename   = "rename"
)

const memoryFlag = "memory"

// loadFlags adds the flags that steer loading.
func loadFlags(cmd *cobra.Command, o *input.Options) {
	cmd.Flags().StringVar(&o.SampleType, "sample-type", "",
		"profiles and samples: the sample type, event or unit to show (default: the file's own choice)")
	cmd.Flags().StringVar(&o.RulesFile, "rules", "",
		"file with further rules for blocking functions")
	requestFlags(cmd, o)
	formatFlags(cmd, o)
	cacheFlag(cmd)
	cmd.Flags().Var(&o.Memory, memoryFlag,
		"memory that loading may take, such as 2GB or 40%; larger traces lie in a file "+
			"(default: 60% of the machine's)")
}

// loading says how the traces of both sides are loaded: alike, but for the format that they are
// read as, and for which request is shown of a file that holds many.
type loading struct {
	input.Options
	formats, requests [2]string // by side; "" for what Options say
}

// of returns how the trace of a side is loaded.
func (l *loading) of(side pair.Side) input.Options {
	o := l.Options
	o.Trace = cmp.Or(l.requests[side], o.Trace)
	o.Format = cmp.Or(l.formats[side], o.Format)
	return o
}

// showing returns it with a request of a side instead, unless the id is "".
func (l loading) showing(side pair.Side, id string) *loading {
	l.requests[side] = cmp.Or(id, l.requests[side])
	return &l
}

// both returns that of both sides.
func (l *loading) both() [2]input.Options { return [2]input.Options{l.of(pair.A), l.of(pair.B)} }

// lacks returns an error if a flag is about a side of which no trace is given.
func (l *loading) lacks(side pair.Side) error {
	name := side.String()
	for _, f := range [][2]string{{formatFlag, l.formats[side]}, {requestFlag, l.requests[side]}} {
		if f[1] != "" {
			return usageError{fmt.Errorf("--%s-%s: there is no trace %s", f[0], strings.ToLower(name), name)}
		}
	}
	return nil
}

const requestFlag = "trace"

// requestFlags adds the flag that chooses a request of a file that holds many.
func requestFlags(cmd *cobra.Command, o *input.Options) {
	cmd.Flags().StringVar(&o.Trace, requestFlag, "",
		"distributed traces: id, or its beginning, of the one to show (default: the longest; of two files "+
			"the medians of one root; info lists them)")
}

const formatFlag = "format"

// formatFlags adds the flag that says what a file is read as. Where --format says what a command
// writes, it has another name.
func formatFlags(cmd *cobra.Command, o *input.Options) {
	name := formatFlag
	if cmd.Flags().Lookup(name) != nil {
		name = "input-" + name
	}
	addFormat(cmd, &o.Format, name, "read traces as this format, whatever they look like")
}

func addFormat(cmd *cobra.Command, to *string, name, usage string) {
	cmd.Flags().Var((*formatName)(to), name, usage)
	offer(cmd, name, traceio.FormatNames()...)
}

// formatName is the name of a format, as a flag that takes only those that there are.
type formatName string

func (f *formatName) String() string { return string(*f) }

func (f *formatName) Type() string { return "FORMAT" }

func (f *formatName) Set(name string) error {
	*f = formatName(name)
	return traceio.CheckFormat(name)
}

// sideLoadFlags adds the flags that steer the loading of two traces.
func sideLoadFlags(cmd *cobra.Command, l *loading) {
	loadFlags(cmd, &l.Options)
	for _, side := range []pair.Side{pair.A, pair.B} {
		name := side.String()
		addFormat(cmd, &l.formats[side], formatFlag+"-"+strings.ToLower(name),
			"the format that "+name+" alone is read as")
		cmd.Flags().StringVar(&l.requests[side], requestFlag+"-"+strings.ToLower(name), "",
			"--trace for "+name+" alone: A and B may be two requests of one file")
	}
}

// identityFlags adds the flags that say which functions of two traces are the same.
func identityFlags(cmd *cobra.Command) {
	cmd.Flags().Bool(rawNames, false, "compare names as they are, with addresses and clone suffixes")
	cmd.Flags().StringArray(rename, nil,
		"old=new or /regexp/=replacement: compare under another name; may be repeated")
}

// identityRules returns what those flags say.
func identityRules(cmd *cobra.Command) (pair.Rules, error) {
	raw, err := cmd.Flags().GetBool(rawNames)
	if err != nil {
		return pair.Rules{}, err
	}
	renames, err := cmd.Flags().GetStringArray(rename)
	if err != nil {
		return pair.Rules{}, err
	}
	rules, err := pair.ParseRules(raw, renames)
	if err != nil {
		return rules, usageError{fmt.Errorf("--%s: %w", rename, err)}
	}
	return rules, nil
}

// readPair loads two traces and pairs them under the rules of the identity flags.
func readPair(cmd *cobra.Command, paths []string, opts loading) (*pair.Pair, error) {
	rules, err := identityRules(cmd)
	if err != nil {
		return nil, err
	}
	sides, err := readBoth(cmd, paths, opts)
	if err != nil {
		return nil, err
	}
	if err := traceio.CheckSampleType(opts.SampleType, sides[:]...); err != nil {
		return nil, err
	}
	if err := pair.Comparable(sides[pair.A], sides[pair.B]); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", paths[pair.A], paths[pair.B], err)
	}
	return pair.New(sides[pair.A], sides[pair.B], rules), nil
}

// atMost is the value of a flag that limits how much is printed; 0 stands for all. Until it is
// given, the command's own default holds, which may depend on other flags.
type atMost struct {
	n     int
	given bool
}

// atMostType is what help says in place of the value.
const atMostType = "N"

func (m *atMost) String() string {
	if !m.given {
		return ""
	}
	return strconv.Itoa(m.n)
}

func (m *atMost) Type() string { return atMostType }

func (m *atMost) Set(text string) error {
	n, err := strconv.ParseUint(text, 10, 31)
	if err == nil {
		m.n, m.given = int(n), true
	}
	return err
}

// or returns what was given, else the default.
func (m *atMost) or(standard int) int {
	if m.given {
		return m.n
	}
	return standard
}

const strictLevels = "strict"

// strictFlag adds the flag that aligns as Weber et al. do.
func strictFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(strictLevels, false,
		"align callees with callees only: do not pass through levels that only one side has")
}

func strict(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool(strictLevels)
	return err == nil && on
}

const noCache = "no-cache"

// cacheFlag adds the flag that turns the store of results off.
func cacheFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(noCache, false, "read and compute everything anew and store nothing")
}

// openStore is replaced by tests.
var openStore = store.Open

// results returns the store of a command that has that flag. It is nil, which stores nothing, if
// the flag is given.
func results(cmd *cobra.Command) *store.Store {
	if off, err := cmd.Flags().GetBool(noCache); err != nil || off {
		return nil
	}
	s := openStore()
	s.Say = func(text string) { escape.Printf(cmd.ErrOrStderr(), "diptych: %s\n", text) }
	return s
}

// alignments aligns thread pairs, or reads their alignments from the store: cached says which.
func alignments(cmd *cobra.Command, p *pair.Pair, pairs []pair.ThreadPair, o align.Options) (
	rs []*align.Result, cached bool, err error) {
	b := newBar(cmd.ErrOrStderr(), "aligning")
	defer b.done()
	return results(cmd).Alignments(cmd.Context(), p, pairs, o, b.report)
}

const sourceFolder = "source"

// sourceFlag adds the flag that names the folder of the source code.
func sourceFlag(cmd *cobra.Command) {
	cmd.Flags().String(sourceFolder, "",
		"folder of source code: in the view of the structure, what never ran has cells, too")
}

// sourceSetting returns that flag as a setting. A missing folder is input that failed, as a missing
// trace is, and no wrong usage.
func sourceSetting(cmd *cobra.Command) ([]string, error) {
	dir, err := cmd.Flags().GetString(sourceFolder)
	if err != nil || dir == "" {
		return nil, err
	}
	return []string{sourceFolder + "=" + dir}, source.Check(dir)
}
