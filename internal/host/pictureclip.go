package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// ErrNoPictures says that nothing can put a picture on the clipboard.
var ErrNoPictures = errors.New("pictures are copied by a program that is not installed")

// CopyPNG puts a picture, encoded as PNG, on the desktop's clipboard. GLFW knows texts only, so the
// usual helper of the window system does it, which goes on to offer the picture for as long as it
// is the clipboard's content: wl-copy (Debian's wl-clipboard) on Wayland, else xclip.
func CopyPNG(ctx context.Context, png io.Reader) error {
	helper := []string{"xclip", "-selection", "clipboard", "-t", "image/png", "-i"}
	if windowSystem == "wayland" {
		helper = []string{"wl-copy", "--type", "image/png"}
	}
	if _, err := exec.LookPath(helper[0]); err != nil {
		return fmt.Errorf("%w: %s", ErrNoPictures, helper[0])
	}
	cmd := exec.CommandContext(ctx, helper[0], helper[1:]...)
	cmd.Stdin = png
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("host: %s: %w", helper[0], err)
	}
	return nil
}
