//go:build nogui

package cli

import (
	"errors"

	"github.com/spf13/cobra"
)

// errNoWindow is what the commands that draw say in a build without cgo, OpenGL and GLFW.
var errNoWindow = errors.New("this build of Diptych has no window and draws no pictures: " +
	"use the build with a window, or compare with diptych diff")

func openCommand() *cobra.Command {
	return withoutWindow("open [A [B]] | SESSION.diptych", "Open traces in a window")
}

func renderCommand() *cobra.Command {
	return withoutWindow("render A [B] --view V -o OUT.png", "Draw a view into a PNG file")
}

// withoutWindow returns a command that only says that this build lacks what it needs. It takes all
// flags, so that whoever gives some is told the reason rather than that they are unknown.
func withoutWindow(use, short string) *cobra.Command {
	return &cobra.Command{
		Use:                use,
		Short:              short + " (not in this build)",
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE:               func(*cobra.Command, []string) error { return errNoWindow },
	}
}
