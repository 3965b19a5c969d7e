package cli

import (
	"fmt"
	"path/filepath"
	"runtime/debug"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/store"
	"diptych/internal/tracefile"
)

// keeping is where one run of Main keeps the traces that it loads. Main waits for it at the end, so
// that they are written while the command does its work. It goes with the command's context.
type keeping struct{ cache *tracefile.Cache }

type keepingKey struct{}

// guard runs the commands of root. If a stored trace is damaged while a command works with it, that
// is an error: the command has lost the trace, and may have written a part of its output.
func (k *keeping) guard(root *cobra.Command, run func() (*cobra.Command, error)) (cmd *cobra.Command, err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			_, found := k.cache.Blame(p)
			if len(found) == 0 {
				panic(p)
			}
			cmd, err = root, damagedError(found[0])
		}
	}()
	return run()
}

// damagedError says that a stored trace was damaged while a command worked with it.
type damagedError tracefile.Damage

func (e damagedError) Error() string {
	return fmt.Sprintf("the stored trace %s was damaged while it was in use (%s) and is removed: "+
		"run the command again, which reads %s again", e.File, e.Why, e.Recording)
}

// traceCache returns where a command keeps the traces that it loads. It is nil, which keeps none,
// if the flag of cacheFlag is given.
func traceCache(cmd *cobra.Command) *tracefile.Cache {
	k, ok := cmd.Context().Value(keepingKey{}).(*keeping)
	if off, err := cmd.Flags().GetBool(noCache); !ok || err != nil || off {
		return nil
	}
	if k.cache == nil {
		k.cache = openCache()
		k.cache.Say = func(d tracefile.Damage) { escape.Printf(cmd.ErrOrStderr(), "diptych: %s\n", d) }
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
