package cli

import (
	"io"

	"github.com/spf13/cobra"

	"diptych/internal/notices"
)

func licensesCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "licenses",
		Short:             "Print the licences of Diptych and of all it is built of",
		Args:              cobra.NoArgs,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), notices.Text)
			return err
		},
	}
}
