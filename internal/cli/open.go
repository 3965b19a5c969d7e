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
	"diptych/internal/traceio/input"
	"diptych/internal/ui"
)

func openCommand() *cobra.Command {
	o := new(opening)
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
		Args: func(cmd *cobra.Command, args []string) error { return tracesOrSession(cmd, args, &o.runs, 0) },
		RunE: o.run,
	}
	cmd.Flags().StringVar(&o.size, "size", "1440x900", "size of the window, in device-independent pixels, instead of the last one's")
	cmd.Flags().Float32Var(&o.scale, "scale", 0, "pixels a device-independent pixel (default: the monitor's)")
	cmd.Flags().StringArrayVar(&o.sets, "set", nil, "key=value with a key of "+settingKeys(true))
	offerSettings(cmd, true)
	sideFlags(cmd, &o.runs)
	sideLoadFlags(cmd, &o.loading)
	identityFlags(cmd)
	strictFlag(cmd)
	sourceFlag(cmd)
	return cmd
}

// opening is what the flags of open say.
type opening struct {
	loading
	sets  []string
	size  string
	scale float32
	runs  [2][]string // the traces by side
}

// run opens the window, and returns when it is closed.
func (o *opening) run(cmd *cobra.Command, args []string) error {
	px, err := o.check(cmd)
	if err != nil {
		return usageError{err}
	}
	fleet, named := batchNamed(args), sessionNamed(args)
	var file *saved.Session
	if named != "" {
		if file, err = readSession(named, o.runs, o.Options); err != nil {
			return err
		}
	}
	if file == nil && fleet == "" {
		for side, paths := range o.runs {
			if err := o.lacks(pair.Side(side)); len(paths) == 0 && err != nil {
				return err
			}
			for _, path := range paths { // before anything is said of the display
				if err := input.There(path); err != nil {
					return err
				}
			}
		}
	}
	if err := host.SwitchToWayland(); err != nil {
		return err
	}
	progress.Spare()
	s, set, err := o.session(cmd)
	if err != nil {
		return err
	}
	if s.Traces != nil {
		defer s.Traces.Stop()
	}
	if file == nil && fleet == "" {
		openTraces(s, o.runs, o.loading) // meanwhile fonts are read and the window is made
	}
	app := ui.New(s)
	app.Closed = giveBack
	kept := app.Keep(saved.UserHome())
	if err := set.early(s); err != nil {
		return usageError{err}
	}
	app.Load = o.Options
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
	return show(cmd.Context(), s, app, o.window(cmd, px, kept))
}

// check returns the size of the window that the flags say, and an error if one of them cannot be.
func (o *opening) check(cmd *cobra.Command) (px image.Point, err error) {
	px, err = sizeOf(o.size)
	if cmd.Flags().Changed("scale") {
		err = cmp.Or(err, checkScale(o.scale))
	}
	return px, err
}

// session makes the session, and reads the settings with which it begins.
func (o *opening) session(cmd *cobra.Command) (s *session.Session, set settings, err error) {
	s = session.New(host.Wake)
	s.Store, s.Traces, s.Wasted = results(cmd), traceCache(cmd), giveBack
	if s.Traces != nil {
		s.Traces.Delay = untilShown
	}
	if s.Rules, err = identityRules(cmd); err != nil {
		return nil, set, err
	}
	s.Strict = strict(cmd)
	folder, err := sourceSetting(cmd)
	if err != nil {
		return nil, set, err
	}
	if set, err = parseSettings(append(o.sets, folder...), true); err != nil {
		return nil, set, usageError{err}
	}
	return s, set, nil
}

// window says how the window begins: as the flags say, or else as it was left.
func (o *opening) window(cmd *cobra.Command, px image.Point, kept saved.Settings) host.Options {
	asked := cmd.Flags().Changed("size")
	if !asked && kept.Width > 0 && kept.Height > 0 {
		px = image.Pt(max(kept.Width, leastSize), max(kept.Height, leastSize))
	}
	scale := o.scale
	if scale == 0 && os.Getenv(host.ScaleVariable) == "" {
		scale = kept.Scale
	}
	return host.Options{Title: "Diptych", Size: px, Fit: !asked, Scale: scale, Icons: icons, Last: true}
}

// show shows the window until it is closed, or ctx is done: then it returns why.
func show(ctx context.Context, s *session.Session, app *ui.App, o host.Options) error {
	stop := context.AfterFunc(ctx, func() {
		s.End() // the window gets the processors
		host.Quit()
	})
	defer stop()
	err := host.Run(o, app)
	s.End()
	app.Flush()
	return cmp.Or(err, outOfMemory(ctx), ctx.Err())
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
func openTraces(s *session.Session, runs [2][]string, opts loading) {
	if several(runs) {
		s.SetRuns(runs, opts.both())
	}
	for side, paths := range runs {
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
