//go:build !nogui

package cli

import (
	"cmp"
	"context"
	"image"
	"os"
	"time"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/host"
	"diptych/internal/icon"
	"diptych/internal/pair"
	"diptych/internal/progress"
	"diptych/internal/saved"
	"diptych/internal/session"
	"diptych/internal/ui"
)

func openCommand() *cobra.Command {
	var (
		opts  loading
		sets  []string
		size  string
		scale float32
		many  [2][]string
	)
	cmd := &cobra.Command{
		Use:   "open [A [B]] | SESSION.diptych | BATCH",
		Short: "Open one or two traces in a window, several runs of two programs, a session, or a batch",
		Example: `  diptych before.json.gz after.json.gz
  diptych open run.data.tar.gz
  diptych open --sample-type alloc_space old.pprof new.pprof
  diptych open review.diptych
  diptych open batch-directory
  diptych open review.diptych --b moved/head.json.gz
  diptych open --a base1.json --a base2.json … --b head1.json --b head2.json …`,
		Args: func(cmd *cobra.Command, args []string) error { return tracesOrSession(cmd, args, &many, 0) },
		RunE: func(cmd *cobra.Command, args []string) error {
			px, err := sizeOf(size)
			if cmd.Flags().Changed("scale") {
				err = cmp.Or(err, checkScale(scale))
			}
			if err != nil {
				return usageError{err}
			}
			fleet := batchNamed(args)
			var file *saved.Session
			named := sessionNamed(args)
			if named != "" {
				if file, err = readSession(named, many, opts.Options); err != nil {
					return err
				}
			}
			if err := host.SwitchToWayland(); err != nil {
				return err
			}
			progress.Spare()
			s := session.New(host.Wake)
			s.Store, s.Traces = results(cmd), traceCache(cmd)
			if s.Traces != nil {
				s.Traces.Delay = untilShown
				defer s.Traces.Stop()
			}
			if s.Rules, err = identityRules(cmd); err != nil {
				return err
			}
			s.Strict = strict(cmd)
			folder, err := sourceSetting(cmd)
			if err != nil {
				return err
			}
			set, err := parseSettings(append(sets, folder...), true)
			if err != nil {
				return usageError{err}
			}
			if file == nil && fleet == "" {
				openTraces(s, many, opts) // meanwhile fonts are read and the window is made
			}
			app := ui.New(s)
			kept := app.Keep(saved.UserHome())
			if err := set.early(s); err != nil {
				return usageError{err}
			}
			asked := cmd.Flags().Changed("size")
			if !asked && kept.Width > 0 && kept.Height > 0 {
				px = image.Pt(max(kept.Width, leastSize), max(kept.Height, leastSize))
			}
			if scale == 0 && os.Getenv(host.ScaleVariable) == "" {
				scale = kept.Scale
			}
			app.Load = opts.Options
			// They are of these files, not of those opened later.
			app.Load.Format, app.Load.Trace = "", ""
			if fleet != "" {
				app.OpenBatch(fleet)
			}
			if file != nil {
				if err := lostFiles(named, file); err != nil {
					escape.Printf(cmd.ErrOrStderr(), "diptych: %s\n", err)
				}
				app.Resume(file, named)
			}
			stop := context.AfterFunc(cmd.Context(), func() {
				s.End() // the window gets the processors
				host.Quit()
			})
			defer stop()
			err = host.Run(host.Options{Title: "Diptych", Size: px, Fit: !asked, Scale: scale,
				Icons: icons, Last: true}, app)
			s.End()
			app.Flush()
			if err == nil {
				err = outOfMemory(cmd.Context())
			}
			return err
		},
	}
	cmd.Flags().StringVar(&size, "size", "1440x900", "size of the window, in device-independent pixels, instead of the last one's")
	cmd.Flags().Float32Var(&scale, "scale", 0, "pixels a device-independent pixel (default: the monitor's)")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "key=value with a key of "+settingKeys(true))
	offerSettings(cmd, true)
	sideFlags(cmd, &many)
	sideLoadFlags(cmd, &opts)
	identityFlags(cmd)
	strictFlag(cmd)
	sourceFlag(cmd)
	return cmd
}

// batchNamed returns the directory of a batch that is to be opened, "" for none.
func batchNamed(args []string) string {
	if len(args) == 1 && ui.IsBatch(args[0]) {
		return args[0]
	}
	return ""
}

// untilShown is how long after a trace was loaded it is written to disk: until then it is drawn and
// compared.
const untilShown = 3 * time.Second

// openTraces begins to load the traces of both sides.
func openTraces(s *session.Session, many [2][]string, opts loading) {
	if several(many) {
		s.SetRuns(many, opts.both())
	}
	for side, paths := range many {
		if len(paths) > 0 {
			s.Open(pair.Side(side), paths[0], opts.of(pair.Side(side)))
		}
	}
}

// icons returns the icon in the sizes from which a desktop chooses for the window.
func icons() (all []image.Image) {
	for _, size := range icon.Sizes() {
		all = append(all, icon.Image(size))
	}
	return all
}
