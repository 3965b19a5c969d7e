package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"diptych/internal/pair"
	"diptych/internal/trace"
	"diptych/internal/traceio/input"
)

const (
	rawNames = "raw-names"
	rename   = "rename"
)

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
func readPair(cmd *cobra.Command, paths []string, opts input.Options) (*pair.Pair, error) {
	rules, err := identityRules(cmd)
	if err != nil {
		return nil, err
	}
	var sides [2]*trace.Trace
	for s, path := range paths {
		if sides[s], err = read(cmd, path, opts); err != nil {
			return nil, err
		}
	}
	if err := pair.Comparable(sides[pair.A], sides[pair.B]); err != nil {
		return nil, fmt.Errorf("%s and %s: %w", paths[pair.A], paths[pair.B], err)
	}
	return pair.New(sides[pair.A], sides[pair.B], rules), nil
}
