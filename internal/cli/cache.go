package cli

import (
	"github.com/spf13/cobra"

	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/store"
)

const noCache = "no-cache"

// cacheFlag adds the flag that keeps stored results out.
func cacheFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(noCache, false, "compute everything anew and store no results")
}

// openStore is replaced by tests.
var openStore = store.Open

// results returns where a command with that flag keeps results: nil, which keeps none, if it is
// given.
func results(cmd *cobra.Command) *store.Store {
	if off, err := cmd.Flags().GetBool(noCache); err != nil || off {
		return nil
	}
	return openStore()
}

// alignments aligns thread pairs, or has their alignments from an earlier run: cached says which.
func alignments(cmd *cobra.Command, p *pair.Pair, pairs []pair.ThreadPair, o align.Options) (
	rs []*align.Result, cached bool, err error) {
	b := newBar(cmd.ErrOrStderr(), "aligning")
	defer b.done()
	return results(cmd).Alignments(cmd.Context(), p, pairs, o, b.report)
}
