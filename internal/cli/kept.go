package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/store"
	"diptych/internal/tracefile"
)

// keeping is where one run of Main keeps the traces that it loads. Main waits for it at the end, so
// that they are written while the command does its work. It goes with the command's context.
type keeping struct{ cache *tracefile.Cache }

type keepingKey struct{}

// traceCache returns where a command keeps the traces that it loads. It is nil, which keeps none,
// if the flag of cacheFlag is given.
func traceCache(cmd *cobra.Command) *tracefile.Cache {
	k, ok := cmd.Context().Value(keepingKey{}).(*keeping)
	if off, err := cmd.Flags().GetBool(noCache); !ok || err != nil || off {
		return nil
	}
	if k.cache == nil {
		k.cache = openCache()
		k.cache.Say = func(text string) { escape.Printf(cmd.ErrOrStderr(), "diptych: %s\n", text) }
	}
	return k.cache
}

// openCache is replaced by tests.
var openCache = func() *tracefile.Cache {
	dir := store.Dir()
	if dir != "" {
		dir = filepath.Join(dir, "traces")
	}
	return tracefile.At(dir, tracefile.DefaultLimit)
}
