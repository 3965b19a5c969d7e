package cli

import (
	"errors"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"diptych/internal/traceio/input"
)

// checkFiles checks the files that a command reads: - stands for standard input, which can be read
// once, and standard output must not lead into any of them.
func checkFiles(cmd *cobra.Command, files []string) error {
	reads := files
	if rules, err := cmd.Flags().GetString("rules"); err == nil {
		reads = filesRead(files, input.Options{RulesFile: rules})
	}
	standard := 0
	for _, path := range reads {
		if path == input.Standard {
			standard++
		}
	}
	switch {
	case slices.Contains(files, ""):
		return usageError{errors.New("the name of a file is empty")}
	case standard > 1:
		return usageError{errors.New("-: standard input can be one of the files, not several")}
	case standard == 1 && term.IsTerminal(int(os.Stdin.Fd())):
		return usageError{errors.New("-: standard input is a terminal; pipe a file into the command")}
	}
	return keepFromStdout(cmd.OutOrStdout(), reads)
}

// statInput describes a file that a command reads.
func statInput(path string) (os.FileInfo, error) {
	if path == input.Standard {
		return os.Stdin.Stat()
	}
	return os.Stat(path)
}
