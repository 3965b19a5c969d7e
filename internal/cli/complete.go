package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What the shell offers for a word: the values of a flag, files for traces. A flag that is not
// named here takes no file, so nothing is offered for it.

// fileFlags take files or folders, which the shell knows best.
var fileFlags = []string{"a", "b", "rules", "output", "dump", sourceFolder}

// offer lets the shell offer the values of a flag. One that ends in = or : is the beginning of a
// word, after which no space is set.
func offer(cmd *cobra.Command, flag string, values ...string) {
	then := cobra.ShellCompDirectiveNoFileComp
	if slices.ContainsFunc(values, unfinished) {
		then |= cobra.ShellCompDirectiveNoSpace
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, then)); err != nil {
		panic(err) // the command has no such flag: tests run this for all commands
	}
}

// unfinished reports whether a value is only the beginning of one.
func unfinished(value string) bool {
	return strings.HasSuffix(value, "=") || strings.HasSuffix(value, ":")
}

// offerNoFiles makes flags that are not about files offer none.
func offerNoFiles(cmd *cobra.Command) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if _, known := cmd.GetFlagCompletionFunc(f.Name); !known && !slices.Contains(fileFlags, f.Name) {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, cobra.NoFileCompletions) // it has that flag
		}
	})
}

// offerTraces lets the shell offer files until there are as many as the command takes, and none if
// --a and --b name them.
func offerTraces(most int) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most || cmd.Flags().Changed("a") || cmd.Flags().Changed("b") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
}

// most is how many files a command takes at most.
func most(cmd *cobra.Command) int {
	if strings.Contains(cmd.Use, "…") {
		return anyNumber
	}
	if cmd.Name() == "batch" {
		return 1 // a manifest
	}
	return 2
}
