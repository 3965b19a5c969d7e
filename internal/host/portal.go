package host

import (
	"errors"
	"fmt"
	"net/url"
	"os"

	"github.com/godbus/dbus/v5"
)

// ErrNoDialog says that the desktop offers no file dialog.
var ErrNoDialog = errors.New("host: the desktop has no file dialog")

// ChooseFile opens the desktop's own file dialog through its portal
// (org.freedesktop.portal.FileChooser) and returns the file picked, or "" if the user closed the
// dialog. It waits for the user, so it belongs in a goroutine of its own. Where there is no portal
// it returns ErrNoDialog at once.
func ChooseFile(title string) (string, error) {
	return choose("OpenFile", title, map[string]dbus.Variant{})
}

// ChooseTarget does the same for a file to be written, whose name is proposed. The dialog asks
// before it lets an existing one be replaced.
func ChooseTarget(title, name string) (string, error) {
	return choose("SaveFile", title, map[string]dbus.Variant{"current_name": dbus.MakeVariant(name)})
}

// ChooseFolder does the same for a folder.
func ChooseFolder(title string) (string, error) {
	return choose("OpenFile", title, map[string]dbus.Variant{"directory": dbus.MakeVariant(true)})
}

func choose(method, title string, options map[string]dbus.Variant) (string, error) {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") == "" {
		return "", ErrNoDialog
	}
	bus, err := dbus.ConnectSessionBus()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoDialog, err)
	}
	defer bus.Close()
	answers := make(chan *dbus.Signal, 4)
	bus.Signal(answers)
	if err := bus.AddMatchSignal(dbus.WithMatchInterface("org.freedesktop.portal.Request"),
		dbus.WithMatchMember("Response")); err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoDialog, err)
	}
	var request dbus.ObjectPath
	portal := bus.Object("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop")
	err = portal.Call("org.freedesktop.portal.FileChooser."+method, 0, "", title,
		options).Store(&request)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoDialog, err)
	}
	for s := range answers {
		if s.Path == request {
			return picked(s.Body)
		}
	}
	return "", errors.New("host: the file dialog went away")
}

// picked reads the portal's answer: a status, 0 for success, and the results with the file's URI.
func picked(body []any) (string, error) {
	if len(body) < 2 {
		return "", errors.New("host: the file dialog gave no answer")
	}
	if status, ok := body[0].(uint32); !ok || status != 0 {
		return "", nil
	}
	results, _ := body[1].(map[string]dbus.Variant)
	uris, _ := results["uris"].Value().([]string)
	if len(uris) == 0 {
		return "", nil
	}
	u, err := url.Parse(uris[0])
	if err != nil {
		return "", fmt.Errorf("host: the file dialog's answer: %w", err)
	}
	return u.Path, nil
}
