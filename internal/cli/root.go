// Package cli is the command line (DESIGN §10): cobra commands that parse flags, call the packages
// that do the work and print a table or, with --json, one JSON object. Exit status: 0 done, 1 the
// input or the work failed, 2 wrong usage or an output that would replace an input, 3 a threshold
// of diff was exceeded.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
)

// gcPercent keeps the heap close to what is live, unless GOGC says otherwise. Almost all of the
// heap are columns without pointers, which cost the collector nothing to scan.
const gcPercent = 25

// usageError is a wrong use of the command line rather than a failure of the work.
type usageError struct{ error }

// Main runs the command line with args (without the program's name) and returns the exit status. It
// prints to the writer to, and errors to stderr.
func Main(args []string, to, stderr io.Writer) int {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	root := newRoot()
	root.SetArgs(withOpen(root, args))
	out := &stdout{to: to}
	root.SetOut(out)
	root.SetErr(stderr)
	err := out.outcome(root.ExecuteContext(ctx))
	if err == nil {
		return 0
	}
	fmt.Fprintln(stderr, "diptych: "+oneLine(err))
	var over thresholdError
	var overwrite overwriteError
	var usage usageError
	switch {
	case errors.As(err, &over):
		return 3
	case errors.As(err, &overwrite):
		return 2
	case errors.As(err, &usage) || isCobraUsage(err):
		fmt.Fprintln(stderr, "Run 'diptych --help' for usage.")
		return 2
	}
	return 1
}

// endings are the signals that end the work in good order. Those that whoever started the program
// had it ignore, as nohup does, stay ignored.
func endings() []os.Signal {
	return slices.DeleteFunc([]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}, signal.Ignored)
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "diptych [A [B]]",
		Short: "Compare two execution traces side by side",
		Long: `Diptych opens two execution traces side by side and shows where they match and where
they differ.

It reads Chrome Trace Event JSON, uftrace data directories (or a .tar.gz of one), Go execution
traces and pprof profiles, optionally gzip- or zstd-compressed. The format is recognised by
content.`,
		Example: `  diptych before.json.gz after.json.gz     compare two traces in a window
  diptych info trace.json                  what a file holds
  diptych render A B -o matches.png       the view as a picture, no display needed`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(openCommand(), infoCommand(), matchCommand(), alignCommand(), waitsCommand(), structureCommand(), aggregateCommand(),
		diffCommand(), renderCommand(), exportCommand(), generateCommand())
	return root
}

// withOpen lets `diptych A B` mean `diptych open A B`.
func withOpen(root *cobra.Command, args []string) []string {
	for _, a := range args {
		if a == "-h" || a == "--help" || strings.HasPrefix(a, "__complete") {
			return args
		}
		if strings.HasPrefix(a, "-") {
			continue
		}
		for _, c := range root.Commands() {
			if c.Name() == a || c.HasAlias(a) {
				return args
			}
		}
		if a == "help" || a == "completion" {
			return args
		}
		break
	}
	return append([]string{"open"}, args...)
}

// traces checks the number of positional arguments.
func traces(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			_, files, _ := strings.Cut(cmd.Use, " ")
			files, _, _ = strings.Cut(files, " -")
			return usageError{fmt.Errorf("%s needs %s", cmd.Name(), files)}
		case len(args) > most:
			return usageError{fmt.Errorf("%s takes at most %d files, got %d", cmd.Name(), most, len(args))}
		}
		return keepFromStdout(cmd.OutOrStdout(), args)
	}
}

func isCobraUsage(err error) bool {
	s := err.Error()
	return strings.HasPrefix(s, "unknown command") || strings.HasPrefix(s, "required flag")
}

// oneLine keeps an error on one line, whatever a library or the name of a file put into it.
func oneLine(err error) string {
	return escape.Line(strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool {
		return r == '\n' || r == '\r'
	}), "; "))
}
