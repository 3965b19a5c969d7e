package host

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/go-gl/glfw/v3.3/glfw"
)

// ErrNoDisplay says that there is no display server to open a window on.
var ErrNoDisplay = errors.New("no display server")

// displays are the window systems of Linux, each with the variable that names its server. GLFW 3.3
// speaks one of them an executable, so `make build` makes one for each.
var displays = map[string]string{"x11": "DISPLAY", "wayland": "WAYLAND_DISPLAY"}

// fromDesktop says that icon and place of a window are the compositor's: it takes the icon from the
// desktop file, and tells no program where its windows are.
const fromDesktop = windowSystem == "wayland"

// connect reaches the display server. GLFW's binding only logs that the platform failed, which is
// kept from standard error: the failure shows in the next call, and is told by the error.
func connect() (err error) {
	variable := displays[windowSystem]
	if variable != "" && os.Getenv(variable) == "" {
		return fmt.Errorf("%w: %s is not set", ErrNoDisplay, variable)
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *glfw.Error:
			err = fmt.Errorf("%w at %s=%q: %w", ErrNoDisplay, variable, os.Getenv(variable), e)
		default:
			panic(e)
		}
	}()
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard)
	if err := glfw.Init(); err != nil {
		return err
	}
	glfw.GetPrimaryMonitor()
	return nil
}

// SwitchToWayland goes on, with the same arguments, as the executable for Wayland where there is
// no X server but a Wayland compositor: so one name opens a window on both. It returns nil at once
// where this executable can open windows itself, or where the other is not installed.
func SwitchToWayland() error {
	if windowSystem != "x11" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") == "" {
		return nil
	}
	twin := waylandTwin()
	if twin == "" {
		return nil
	}
	return syscall.Exec(twin, append([]string{twin}, os.Args[1:]...), os.Environ())
}

// waylandTwin returns the executable for Wayland, which lies beside this one or, once installed,
// in the folder for helpers; "" if there is none.
func waylandTwin() string {
	own, err := os.Executable()
	if err != nil {
		return ""
	}
	bin := filepath.Dir(own)
	for _, dir := range []string{bin, filepath.Join(bin, "..", "lib", "diptych")} {
		if twin, err := exec.LookPath(filepath.Join(dir, "diptych-wayland")); err == nil {
			return twin
		}
	}
	return ""
}
