package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/account/explain"
	"diptych/internal/align"
	"diptych/internal/pair"
	"diptych/internal/report/page"
	"diptych/internal/session"
	"diptych/internal/traceio/input"
)

// reportFormats are the values of --to.
var reportFormats = []string{"html", "md"}

func reportCommand() *cobra.Command {
	var (
		opts    loading
		to, out string
	)
	cmd := &cobra.Command{
		Use:   "report A B -o OUT.html",
		Short: "Write the comparison as one HTML file to hand on, or as Markdown",
		Long: `Report writes what diff, structure and waits say of two traces into one file: the verdict,
the findings with pictures of where they are, the stacks of both sides to pan and zoom, and tables
of functions, packages, waits and threads that sort and filter.

html  one file that needs nothing else: no network and no other file. It opens in any current
      browser, prints, and follows the system's choice of light or dark.
md    a comment for a change: the verdict, the balance and the first findings; the rest is folded.
      It goes to standard output unless -o names a file.`,
		Example: `  diptych report before.json.gz after.json.gz -o report.html
  diptych report --to md base.data.tar.gz head.data.tar.gz >> comment.md`,
		Args: traces(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			to, out, err := reportTarget(to, out)
			if err != nil {
				return usageError{err}
			}
			return runReport(cmd, args, opts, to, out)
		},
	}
	f := cmd.Flags()
	f.StringVar(&to, "to", "", "format: html or md (default: what the file's name says, else html)")
	f.StringVarP(&out, "output", "o", "", "file to write, or - for standard output")
	offer(cmd, "to", reportFormats...)
	sideLoadFlags(cmd, &opts)
	identityFlags(cmd)
	strictFlag(cmd)
	return cmd
}

// reportTarget returns the format and the file that the flags name.
func reportTarget(to, out string) (format, path string, err error) {
	name := strings.TrimSuffix(out, ".gz")
	if to == "" && strings.HasSuffix(name, ".md") {
		to = "md"
	}
	switch to = cmp.Or(to, "html"); {
	case !slices.Contains(reportFormats, to):
		return "", "", fmt.Errorf("--to %s: want html or md", to)
	case to == "md":
		out = cmp.Or(out, toStandard)
	case out == "":
		return "", "", errors.New("report needs -o OUT.html")
	}
	return to, out, nil
}

// runReport compares two traces and writes what there is to say.
func runReport(cmd *cobra.Command, paths []string, opts loading, to, path string) error {
	out, err := newOutput(path, filesRead(paths, opts.Options), cmd.OutOrStdout())
	if err != nil {
		return err
	}
	p, err := readCompared(cmd, paths, opts)
	if err != nil {
		return err
	}
	rs, _, err := alignments(cmd, p, p.Threads, align.Options{Strict: strict(cmd)})
	if err != nil {
		return err
	}
	b := newBar(cmd.ErrOrStderr(), path)
	defer b.done()
	x, err := explain.Compare(cmd.Context(), p, rs, nil)
	if err != nil {
		return err
	}
	names := [2]string{pair.A: session.Title(input.Name(paths[0])), pair.B: session.Title(input.Name(paths[1]))}
	report, err := page.New(cmd.Context(), page.Source{Names: names, Results: rs, Difference: x}, b.report)
	if err != nil {
		return err
	}
	return out.write(func(w io.Writer) error {
		if to == "md" {
			return report.WriteMarkdown(w)
		}
		return report.WriteHTML(w)
	})
}
