// Package cli is the command line: cobra commands that parse flags, call the packages that do the
// work and print a table or, with --json, one JSON object. Exit status: 0 done, 1 the input or the
// work failed, 2 wrong usage or an output that would replace an input, 3 a threshold of diff was
// exceeded, 128 and its number if a signal cancelled the work.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"diptych/internal/escape"
	"diptych/internal/plural"
	"diptych/internal/traceio"
	"diptych/internal/traceio/input"
)

// usageError is a wrong use of the command line rather than a failure of the work.
type usageError struct{ error }

// Main runs the command line with args (without the program's name) and returns the exit status. It
// prints to the writer to, and errors to stderr.
func Main(args []string, to, stderr io.Writer) int {
	allowGarbage(garbageUsual)
	ctx, stop := untilSignal()
	defer stop()
	root := newRoot()
	out := &stdout{to: to, columns: columnsOf(to)}
	root.SetOut(out)
	root.SetErr(stderr)
	fitHelp(root, out.columns)
	cmd, err := root, mistyped(root, args)
	if err == nil {
		root.SetArgs(withOpen(root, args))
		kept := &keeping{}
		work, memory := watchMemory(ctx)
		cmd, err = kept.guard(root, func() (*cobra.Command, error) {
			return root.ExecuteContextC(context.WithValue(work, keepingKey{}, kept))
		})
		switch why := outOfMemory(work); {
		case err == nil:
			memory.tell(cmd)
		case why != nil:
			err = fmt.Errorf("%s: %w", cmd.Name(), why)
		}
		memory.cancel(nil)
		kept.cache.Wait(ctx)
	}
	if err = out.outcome(err); err == nil {
		return 0
	}
	err = missing(cmd, err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		fmt.Fprintln(stderr, "diptych: cancelled")
		return cancelled(ctx)
	}
	fmt.Fprintln(stderr, "diptych: "+oneLine(err))
	return exitStatus(cmd, err)
}

// exitStatus returns the exit status of a command that failed, and says where its usage is
// explained if it was used wrongly.
func exitStatus(cmd *cobra.Command, err error) int {
	var over thresholdError
	var overwrite overwriteError
	var usage usageError
	switch {
	case errors.As(err, &over):
		return 3
	case errors.As(err, &overwrite):
		return 2
	case errors.As(err, &usage) || isCobraUsage(err):
		fmt.Fprintf(cmd.ErrOrStderr(), "Run '%s --help' for usage.\n", cmd.CommandPath())
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "diptych [A [B]]",
		Short: "Compare two execution traces side by side",
		Long: `Diptych opens two execution traces side by side and shows where they match and where
they differ.

` + formatsRead() + `Files may be compressed with gzip, zstd, xz, bzip2 or lz4 or lie in a tar or zip archive. The format is
recognised by content, or said with --format. One of the traces may be -, standard input; -o -
writes to standard output.

Exit status: 0 done, 1 failed, 2 wrong usage, 3 a limit of diff was exceeded, 130 cancelled by
Ctrl-C (128 and the signal's number).`,
		Example: `  diptych before.json.gz after.json.gz     compare two traces in a window
  diptych info trace.json                  what a file holds
  diptych render A B -o matches.png        the view as a picture, no display needed`,
		Version:                    version(),
		SuggestionsMinimumDistance: 2, // letters that differ
		SilenceErrors:              true,
		SilenceUsage:               true,
	}
	root.SetVersionTemplate("{{.Version}}")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{plainly(err)} })
	root.AddCommand(openCommand(), infoCommand(), matchCommand(), alignCommand(), waitsCommand(), structureCommand(), aggregateCommand(),
		diffCommand(), reportCommand(), renderCommand(), exportCommand(), generateCommand(), batchCommand())
	root.ValidArgsFunction = offerTraces(2)
	for _, cmd := range root.Commands() {
		offerNoFiles(cmd)
		for _, part := range cmd.Commands() {
			offerNoFiles(part)
		}
		cmd.ValidArgsFunction = offerTraces(most(cmd))
	}
	root.AddCommand(licensesCommand()) // reads no traces
	return root
}

// Commands returns the tree of commands, for whoever documents it.
func Commands() *cobra.Command { return newRoot() }

// isCommand reports whether a word is the name of a command.
func isCommand(root *cobra.Command, word string) bool {
	return word == "help" || word == "completion" || strings.HasPrefix(word, "__complete") ||
		slices.ContainsFunc(root.Commands(), func(c *cobra.Command) bool {
			return c.Name() == word || c.HasAlias(word)
		})
}

// mistyped returns an error if the first word of the command line is no command and cannot be a
// trace: no file has that name, and it does not look like the name of one. It also returns one for
// help about something that is no command, and for the completion of an unknown shell, which cobra
// would count as success.
func mistyped(root *cobra.Command, args []string) error {
	if len(args) > 1 && args[0] == "help" {
		root.InitDefaultHelpCmd()
		root.InitDefaultCompletionCmd()
		if _, rest, err := root.Find(args[1:]); err != nil || len(rest) > 0 {
			return usageError{fmt.Errorf("help %s: there is no such command", strings.Join(args[1:], " "))}
		}
	}
	if len(args) > 1 && args[0] == "completion" && !strings.HasPrefix(args[1], "-") {
		root.InitDefaultCompletionCmd()
		if cmd, _, _ := root.Find(args[:2]); cmd.Name() == args[0] {
			return usageError{fmt.Errorf("completion %s: there is none for this shell", args[1])}
		}
	}
	if len(args) == 0 || args[0] == "" || isCommand(root, args[0]) || strings.HasPrefix(args[0], "-") ||
		strings.ContainsAny(args[0], `./\`) {
		return nil
	}
	if _, err := os.Lstat(args[0]); err == nil {
		return nil
	}
	text := args[0] + ": there is no such command and no such file"
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return usageError{errors.New(text)}
}

// withOpen lets `diptych A B` mean `diptych open A B`.
func withOpen(root *cobra.Command, args []string) []string {
	if len(args) > 0 && strings.HasPrefix(args[0], "__complete") {
		return withOpenCompleted(root, args)
	}
	for _, a := range args {
		if a == "-h" || a == "--help" || a == "-v" || a == "--version" || isCommand(root, a) {
			return args
		}
		if !strings.HasPrefix(a, "-") || a == input.Standard {
			break
		}
	}
	return append([]string{"open"}, args...)
}

// withOpenCompleted does the same while the shell asks how the last word may go on. As long as that
// is the only word, it may also be a command.
func withOpenCompleted(root *cobra.Command, args []string) []string {
	words := args[1:]
	if len(words) == 0 || isCommand(root, words[0]) ||
		len(words) == 1 && !strings.HasPrefix(words[0], "-") {
		return args
	}
	return slices.Insert(slices.Clone(args), 1, "open")
}

// anyNumber is how many files a command takes that takes as many as there are.
const anyNumber = 1 << 20

// traces checks the number of positional arguments, and what they are.
func traces(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := takes(cmd, args, least, most); err != nil {
			return err
		}
		return checkFiles(cmd, args)
	}
}

// takes checks how many files are named.
func takes(cmd *cobra.Command, args []string, least, most int) error {
	if len(args) >= least && len(args) <= most {
		return nil
	}
	what := "file"
	if strings.Contains(cmd.Use, " DIR") {
		what = "directory"
	}
	want := plural.Of(most, what)
	switch {
	case most == anyNumber:
		want = "at least " + plural.Of(least, what)
	case least == 0:
		want = "at most " + want
	case least < most:
		want = fmt.Sprintf("%d or %s", least, want)
	}
	return usageError{fmt.Errorf("%s takes %s, not %d", fullName(cmd), want, len(args))}
}

// fullName is what a user types for a command, behind the program's name.
func fullName(cmd *cobra.Command) string {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	return name
}

func isCobraUsage(err error) bool { return strings.HasPrefix(err.Error(), "unknown command") }

// missing returns an error that names the flags which a command needs and was not given, as all
// commands say it.
func missing(cmd *cobra.Command, err error) error {
	flags, ok := strings.CutPrefix(err.Error(), "required flag(s) ")
	if !ok {
		return err
	}
	flags = strings.ReplaceAll(strings.TrimSuffix(flags, " not set"), `"`, "")
	return usageError{fmt.Errorf("%s needs --%s", fullName(cmd), strings.ReplaceAll(flags, ", ", ", --"))}
}

// plainly returns an error about a flag's value without the name of Go's function that failed.
func plainly(err error) error {
	var of *pflag.InvalidValueError
	var number *strconv.NumError
	switch {
	case !errors.As(err, &of):
		return err
	case !errors.As(err, &number):
		return fmt.Errorf("--%s: %w", of.GetFlag().Name, errors.Unwrap(of))
	}
	want := "a whole number"
	switch kind := of.GetFlag().Value.Type(); {
	case kind == "bool":
		want = "true or false"
	case strings.HasPrefix(kind, "float"):
		want = "a number"
	case strings.HasPrefix(kind, "uint"):
		want = "a whole number, 0 or more"
	case kind == atMostType:
		want = "a whole number, 0 for all"
	}
	if errors.Is(number, strconv.ErrRange) {
		want = "a smaller number"
	}
	return fmt.Errorf("--%s %s: want %s", of.GetFlag().Name, of.GetValue(), want)
}

// oneLine keeps an error on one line, whatever a library or the name of a file put into it.
func oneLine(err error) string {
	return escape.Line(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool {
		return r == '\n' || r == '\r'
	}), "; "))
}

// formatsRead lists what can be opened, as lines.
func formatsRead() string {
	var titles []string
	for _, f := range traceio.Formats() {
		titles = append(titles, f.Title)
	}
	last := len(titles) - 1
	var b strings.Builder
	wrapSentence(&b, "It reads "+strings.Join(titles[:last], ", ")+" and "+titles[last]+".", 96)
	return b.String() + "\n"
}
