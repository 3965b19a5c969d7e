//go:build !nogui

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/escape"
	"diptych/internal/host"
	"diptych/internal/pair"
	"diptych/internal/session"
	"diptych/internal/trace"
	"diptych/internal/traceio"
	"diptych/internal/ui"
)

// window is the view name that renders the whole window.
const window = "window"

func renderCommand() *cobra.Command {
	var (
		opts            loading
		sets            []string
		view, size, out string
		scale           float32
		many            [2][]string
	)
	names := append(ui.PictureNames(), window)
	views := strings.Join(names, ", ")
	cmd := &cobra.Command{
		Use:   "render A [B] | SESSION.diptych --view V -o OUT.png",
		Short: "Draw a view into a PNG or SVG file, as the window shows it; no display needed",
		Long: `Render draws one view of one or two traces into a picture, by the same code as the window.
It needs no display server. A name that ends in .svg makes a drawing, whose texts are text and which
can be scaled; one that ends in .png, or has no ending, makes a PNG file. The views are
` + views + `.
Several views in one picture are joined by + (one beside the other) and / (one below the other).
The view "` + window + `", the whole window, can only be a PNG file.

Settings (--set key=value):
` + settingsHelp(),
		Example: `  diptych render a.json b.json --view matches -o matches.png
  diptych render a.json b.json --view matches+threads/alignment -o all.png
  diptych render review.diptych -o review.png
  diptych render a.json b.json --view alignment -o alignment.svg
  diptych render a.json b.json --view overview --size 2560x400 --set theme=dark -o o.png
  diptych render a.json b.json --view matches --set focus-a=1.2s:1.5s --set lock=from-start -o m.png`,
		Args: func(cmd *cobra.Command, args []string) error { return tracesOrSession(cmd, args, &many, 1) },
		RunE: func(cmd *cobra.Command, args []string) error {
			px, err := sizeOf(size)
			if err = cmp.Or(err, checkScale(scale)); err != nil {
				return usageError{err}
			}
			folder, err := sourceSetting(cmd)
			if err != nil {
				return err
			}
			set, err := parseSettings(append(sets, folder...), false)
			if err != nil {
				return usageError{err}
			}
			if err := checkView(view, views); err != nil {
				return usageError{err}
			}
			if sessionNamed(args) != "" && !cmd.Flags().Changed("view") {
				view = window
			}
			if view == window && isSVG(out) {
				return usageError{errors.New("the whole window can only be a PNG file: " +
					"choose what to draw by --view, or a name that ends in .png")}
			}
			s, file, err := loaded(cmd, args, many, opts, out)
			if err != nil {
				return err
			}
			if err := set.apply(s); err != nil {
				return usageError{err}
			}
			draw := picture
			if isSVG(out) {
				draw = drawing
			}
			write, err := draw(cmd.Context(), s, view, px, scale)
			if err != nil {
				return err
			}
			return file.write(write)
		},
	}
	f := cmd.Flags()
	f.StringVar(&view, "view", "matches", "view to draw: "+views)
	f.StringVar(&size, "size", "1600x1000", "width and height of the picture in pixels")
	f.Float32Var(&scale, "scale", 1, "pixels a device-independent pixel")
	f.StringArrayVar(&sets, "set", nil, "a setting of the view as key=value; may be repeated")
	sideFlags(cmd, &many)
	f.StringVarP(&out, "output", "o", "", "PNG or SVG file to write, or - for a PNG on standard output")
	offer(cmd, "view", names...)
	offerSettings(cmd, false)
	sideLoadFlags(cmd, &opts)
	identityFlags(cmd)
	strictFlag(cmd)
	sourceFlag(cmd)
	return cmd
}

// loaded returns a session that shows what the arguments name, and the file for its picture.
func loaded(cmd *cobra.Command, args []string, many [2][]string, opts loading, out string) (
	*session.Session, *outputFile, error) {
	path := sessionNamed(args)
	if path == "" {
		file, err := pictureFile(cmd, out, filesRead(slices.Concat(many[:]...), opts.Options))
		if err != nil {
			return nil, nil, err
		}
		s, err := load(cmd, many, opts)
		return s, file, err
	}
	f, err := readSession(path, many, opts.Options)
	if err != nil {
		return nil, nil, err
	}
	if err := lostFiles(path, f); err != nil {
		return nil, nil, err
	}
	file, err := pictureFile(cmd, out, filesOfSession(path, f))
	if err != nil {
		return nil, nil, err
	}
	s := session.New(func() {})
	s.Store, s.Traces = results(cmd), traceCache(cmd)
	ui.Register(s)
	if _, err := s.Resume(f, opts.Options); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	s.Settle(cmd.Context())
	for i := range s.State().Sides {
		if err := s.State().Sides[i].Err; err != nil {
			return nil, nil, err
		}
	}
	if text, _ := s.Notice(); text != "" {
		escape.Printf(cmd.ErrOrStderr(), "diptych: %s\n", text)
	}
	return s, file, cmd.Context().Err()
}

// isSVG reports whether the name of a picture asks for a drawing.
func isSVG(path string) bool { return strings.EqualFold(filepath.Ext(path), ".svg") }

// pictureFile returns the file for the picture of a command that reads the files reads. A name that
// promises another format than PNG and SVG is refused.
func pictureFile(cmd *cobra.Command, path string, reads []string) (*outputFile, error) {
	if path == "" {
		return nil, usageError{errors.New("render needs -o OUT.png")}
	}
	file, err := newOutput(path, reads, cmd.OutOrStdout())
	if err != nil {
		return nil, err
	}
	if suffix := filepath.Ext(path); suffix != "" && !strings.EqualFold(suffix, ".png") && !isSVG(path) {
		return nil, usageError{fmt.Errorf("-o %s: pictures are PNG or SVG files: want a name that "+
			"ends in .png or .svg", path)}
	}
	return file, file.binary()
}

// checkView reports whether there is such a view to draw, or several.
func checkView(view, views string) error {
	if view == window || view == ui.OverviewName {
		return nil
	}
	if _, _, err := ui.ParsePanes(view); err != nil {
		return fmt.Errorf("--view %s: %w (want %s; %s and %s only alone)", view, err, views,
			ui.OverviewName, window)
	}
	return nil
}

// load reads the traces into a session and waits for the session's jobs.
func load(cmd *cobra.Command, many [2][]string, opts loading) (*session.Session, error) {
	rules, err := identityRules(cmd)
	if err != nil {
		return nil, err
	}
	s := session.New(func() {})
	s.Store, s.Traces, s.Rules, s.Strict = results(cmd), traceCache(cmd), rules, strict(cmd)
	ui.Register(s)
	if several(many) {
		s.SetRuns(many, opts.both())
	}
	var first []string
	for side, paths := range many {
		if len(paths) > 0 {
			first = append(first, paths[0])
		} else if err := opts.lacks(pair.Side(side)); err != nil {
			return nil, err
		}
	}
	shown, err := readSides(cmd, first, opts)
	if err != nil {
		return nil, err
	}
	for side, tr := range shown {
		s.PutAs(pair.Side(side), first[side], opts.of(pair.Side(side)).Format, tr)
	}
	if err := traceio.CheckSampleType(opts.SampleType, shown...); err != nil {
		return nil, err
	}
	s.Settle(cmd.Context())
	if err := s.State().Apart; err != nil {
		return nil, err
	}
	return s, cmd.Context().Err()
}

// readSides loads the trace of one side or those of both.
func readSides(cmd *cobra.Command, paths []string, opts loading) ([]*trace.Trace, error) {
	if len(paths) == 1 {
		t, err := read(cmd, paths[0], opts.of(pair.A))
		return []*trace.Trace{t}, err
	}
	sides, err := readBoth(cmd, paths, opts)
	return sides[:], err
}

// picture draws a view or the whole window as PNG. It lays it out first, which tells the session
// how much room there is, and waits for the jobs that this starts.
func picture(ctx context.Context, s *session.Session, view string, px image.Point,
	scale float32) (write func(io.Writer) error, err error) {
	var app host.App
	if view == window {
		app = ui.New(s)
	} else {
		views, err := ui.NewPicture(s, view)
		if err != nil {
			return nil, usageError{err}
		}
		app = views
	}
	p, err := host.NewPicture(app, px, scale)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	p.Settle() // tells the session how much room there is
	s.Settle(ctx)
	if err := ctx.Err(); err != nil { // it would lack what has not been computed
		return nil, err
	}
	p.Settle()
	img, err := p.Image()
	return func(w io.Writer) error { return png.Encode(w, img) }, err
}

// drawing draws a view as SVG.
func drawing(ctx context.Context, s *session.Session, view string, px image.Point,
	scale float32) (write func(io.Writer) error, err error) {
	p, err := ui.NewPicture(s, view)
	if err != nil {
		return nil, usageError{err}
	}
	return p.SVG(ctx, px, scale).Write, ctx.Err()
}
