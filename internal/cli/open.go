//go:build !nogui

package cli

import (
	"context"
	"image"

	"github.com/spf13/cobra"

	"diptych/internal/host"
	"diptych/internal/icon"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/traceio/input"
	"diptych/internal/ui"
)

func openCommand() *cobra.Command {
	var (
		opts  input.Options
		sets  []string
		size  string
		scale float32
		many  [2][]string
	)
	cmd := &cobra.Command{
		Use:   "open [A [B]]",
		Short: "Open one or two traces in a window, or several runs of two programs",
		Example: `  diptych before.json.gz after.json.gz
  diptych open run.data.tar.gz
  diptych open --sample-type alloc_space old.pprof new.pprof
  diptych open --a base1.json --a base2.json … --b head1.json --b head2.json …`,
		Args: func(cmd *cobra.Command, args []string) error { return sidesGiven(cmd, args, &many, 0) },
		RunE: func(cmd *cobra.Command, args []string) error {
			px, err := sizeOf(size)
			if err != nil {
				return usageError{err}
			}
			if err := host.HandOver(); err != nil {
				return err
			}
			s := session.New(host.Wake)
			s.Store = results(cmd)
			if s.Rules, err = identityRules(cmd); err != nil {
				return err
			}
			set, err := parseSettings(append(sets, sourceSetting(cmd)...))
			if err != nil {
				return usageError{err}
			}
			if err := set.early(s); err != nil {
				return usageError{err}
			}
			app := ui.New(s)
			app.Load = opts
			if several(many) {
				s.SetRuns(many, opts)
			}
			for side, paths := range many {
				if len(paths) > 0 {
					s.Open(pair.Side(side), paths[0], opts)
				}
			}
			stop := context.AfterFunc(cmd.Context(), host.Quit)
			defer stop()
			return host.Run(host.Options{Title: "Diptych", Size: px, Scale: scale, Icons: icons()}, app)
		},
	}
	cmd.Flags().StringVar(&size, "size", "1440x900", "size of the window, in device-independent pixels")
	cmd.Flags().Float32Var(&scale, "scale", 0, "pixels a device-independent pixel (default: the monitor's)")
	cmd.Flags().StringArrayVar(&sets, "set", nil, "key=value with a key of "+earlyKeys())
	offerSettings(cmd, true)
	sideFlags(cmd, &many)
	loadFlags(cmd, &opts)
	cacheFlag(cmd)
	identityFlags(cmd)
	sourceFlag(cmd)
	return cmd
}

// icons returns the icon in the sizes from which a desktop chooses for the window.
func icons() (all []image.Image) {
	for _, size := range icon.Sizes() {
		all = append(all, icon.Image(size))
	}
	return all
}
