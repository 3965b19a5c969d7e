package cli

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/batch"
	"diptych/internal/batch/fleet"
	"diptych/internal/batch/fleetpage"
)

func batchReportCommand() *cobra.Command {
	var out string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "report DIR -o OUT.html",
		Short: "Say which pairs of a batch are unlike the rest, in which function, and when",
		Long: `Report looks at all pairs of a batch together, merged or not, and writes one HTML file that needs
nothing else: pairs that are unlike the rest, the matrix of pairs and time, clusters of pairs that
differ in the same way, functions by how much they differ over all pairs, waits. With --json it
prints what it finds; docs/batch.md says what each value is.`,
		Example: `  diptych batch report out -o report.html
  diptych batch report out --json | jq '.outliers[] | {pair, function, fromNs, toNs}'`,
		Args: func(cmd *cobra.Command, args []string) error { return takes(cmd, args, 1, 1) },
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case out == "" && !asJSON:
				return usageError{errors.New("report needs -o OUT.html or --json")}
			case out == toStandard && asJSON:
				return usageError{errors.New("-o - and --json both write to standard output")}
			}
			return reportBatch(cmd, args[0], out, asJSON)
		},
	}
	cmd.Flags().StringVarP(&out, "output", "o", "", "file to write, or - for standard output")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// promisesHTML reports whether a name promises HTML, which may be compressed, or no format.
func promisesHTML(name string) bool {
	suffix := strings.ToLower(filepath.Ext(strings.TrimSuffix(name, ".gz")))
	return suffix == "" || suffix == ".html" || suffix == ".htm"
}

func reportBatch(cmd *cobra.Command, dir, path string, asJSON bool) error {
	d, err := batch.OpenDirectory(dir)
	if err != nil {
		return err
	}
	var to *outputFile
	if path != "" {
		if to, err = newOutput(path, []string{dir}, cmd.OutOrStdout()); err != nil {
			return err
		}
		if !promisesHTML(path) {
			return usageError{fmt.Errorf("-o %s: the page is HTML: want a name that ends in .html", path)}
		}
	}
	b := newBar(cmd.ErrOrStderr(), "reading "+dir)
	f, err := fleet.Read(cmd.Context(), d, b.report)
	b.done()
	if err != nil {
		return err
	}
	if to != nil {
		whole, err := filepath.Abs(dir) // "." has no name
		if err != nil {
			return err
		}
		page := fleetpage.New(filepath.Base(whole), f)
		if err := to.write(func(w io.Writer) error { return page.WriteHTML(w) }); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(cmd.OutOrStdout(), newFleetJSON(f))
	}
	return nil
}
