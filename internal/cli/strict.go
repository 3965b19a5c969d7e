package cli

import "github.com/spf13/cobra"

const strictLevels = "strict"

// strictFlag adds the flag that aligns as Weber et al. do.
func strictFlag(cmd *cobra.Command) {
	cmd.Flags().Bool(strictLevels, false,
		"align callees with callees only: pass through no level that one side alone has")
}

func strict(cmd *cobra.Command) bool {
	on, err := cmd.Flags().GetBool(strictLevels)
	return err == nil && on
}
