//go:build !nogui

package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/pair"
	"diptych/internal/saved"
	"diptych/internal/traceio/input"
)

// sessionNamed returns the session file among the arguments; "" if there is none.
func sessionNamed(args []string) string {
	for _, a := range args {
		if strings.EqualFold(filepath.Ext(a), saved.Suffix) {
			return a
		}
	}
	return ""
}

// tracesOrSession checks what is named: traces or a batch, as sidesGiven does, or one session. With
// a session --a and --b say where its traces are now.
func tracesOrSession(cmd *cobra.Command, args []string, many *[2][]string, least int) error {
	path := sessionNamed(args)
	if path == "" {
		if batchNamed(args) != "" {
			if err := fixedBy(cmd, "batch", "rules"); err != nil {
				return err
			}
		}
		return sidesGiven(cmd, args, many, least)
	}
	if len(args) > 1 {
		return usageError{fmt.Errorf("%s: a session is opened alone; --a and --b say where its traces are now",
			path)}
	}
	for side, paths := range many {
		if len(paths) > 1 {
			return usageError{fmt.Errorf("--%s: with a session it is given once, for a trace that has moved",
				strings.ToLower(pair.Side(side).String()))}
		}
	}
	if err := fixedBy(cmd, "session"); err != nil {
		return err
	}
	return keepFromStdout(cmd.OutOrStdout(), []string{path})
}

// fixedBy returns an error if a flag says how traces are read and compared: what is opened says it.
func fixedBy(cmd *cobra.Command, what string, more ...string) error {
	for _, flag := range append([]string{rawNames, rename, strictLevels, "sample-type", formatFlag, formatFlag + "-a",
		formatFlag + "-b", requestFlag, requestFlag + "-a", requestFlag + "-b"}, more...) {
		if cmd.Flags().Changed(flag) {
			return usageError{fmt.Errorf("--%s: the %s says how its traces are read", flag, what)}
		}
	}
	return nil
}

// readSession reads a session, with its traces and its file of rules where the flags say they are.
func readSession(path string, many [2][]string, opts input.Options) (*saved.Session, error) {
	f, err := saved.ReadSession(path)
	if err != nil {
		return nil, err
	}
	for side, paths := range many {
		t := f.Traces.On(side)
		if len(paths) == 0 {
			continue
		}
		if t.Path == "" {
			return nil, usageError{fmt.Errorf("--%s: the session has no such trace",
				strings.ToLower(pair.Side(side).String()))}
		}
		f.Move(saved.Missing{Path: &t.Path}, paths[0])
	}
	if opts.RulesFile != "" {
		f.Rules = opts.RulesFile
	}
	return f, nil
}

// lostFiles says which files a session needs and does not find, and what flag names them; nil if it
// finds all.
func lostFiles(path string, f *saved.Session) error {
	var lost []string
	for _, m := range f.Missing() {
		text := fmt.Sprintf("%s was %s: %v", m.What, *m.Path, m.Why)
		if m.Flag != "" {
			text += fmt.Sprintf("; name it with %s FILE", m.Flag)
		}
		lost = append(lost, text)
	}
	if len(lost) == 0 {
		return nil
	}
	return errors.New(path + ": " + strings.Join(lost, "; "))
}

// filesOfSession lists the files that a session reads.
func filesOfSession(path string, f *saved.Session) []string {
	files := slices.Concat([]string{path, f.Traces.A.Path, f.Traces.B.Path, f.Rules}, f.Runs.A, f.Runs.B)
	return slices.DeleteFunc(files, func(p string) bool { return p == "" })
}
