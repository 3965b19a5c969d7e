//go:build !nogui

package cli

import (
	"fmt"
	"image"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"diptych/internal/session"
	"diptych/internal/ui"
	"diptych/internal/ui/view"
)

// settings are parsed --set flags. The keys are those of the window and of its views.
type settings map[string]string

func settingNamed(key string) (view.Setting, bool) {
	for _, s := range ui.Settings() {
		if s.Key == key {
			return s, true
		}
	}
	return view.Setting{}, false
}

// parseSettings reads settings of the form key=value. If a key is none, it says which there are:
// all, or those for a window, which come early.
func parseSettings(sets []string, early bool) (settings, error) {
	out := settings{}
	for _, kv := range sets {
		k, v, ok := strings.Cut(kv, "=")
		if _, known := settingNamed(k); !ok || !known {
			return nil, fmt.Errorf("--set %s: want key=value with a key of %s", kv,
				settingKeys(early))
		}
		out[k] = v
	}
	return out, nil
}

// settingKeys lists the keys of settings in the order in which they apply: all, or those that early
// takes.
func settingKeys(early bool) string {
	var keys []string
	for _, s := range ui.Settings() {
		if s.Early || !early {
			keys = append(keys, s.Key)
		}
	}
	return strings.Join(keys, ", ")
}

// apply carries out all settings.
func (set settings) apply(s *session.Session) error {
	for _, x := range ui.Settings() {
		if v, ok := set[x.Key]; ok {
			if err := x.Apply(s, v); err != nil {
				return fmt.Errorf("--set %s=%s: %w", x.Key, v, err)
			}
		}
	}
	return nil
}

// early carries out those that make sense before anything is loaded.
func (set settings) early(s *session.Session) error {
	for k := range set {
		if x, _ := settingNamed(k); !x.Early {
			return fmt.Errorf("--set %s: not for a window", k)
		}
	}
	return set.apply(s)
}

func settingsHelp() string {
	var b strings.Builder
	for _, s := range ui.Settings() {
		fmt.Fprintf(&b, "  %-12s %s\n", s.Key, s.Help)
	}
	return strings.TrimRight(b.String(), "\n")
}

// offerSettings lets the shell offer the keys of settings for --set.
func offerSettings(cmd *cobra.Command, early bool) {
	var keys []string
	for _, s := range ui.Settings() {
		if s.Early || !early {
			keys = append(keys, s.Key+"=")
		}
	}
	offer(cmd, "set", keys...)
}

// Limits of a picture's size in pixels.
const (
	leastSize = 64
	mostSize  = 8192
)

func sizeOf(s string) (image.Point, error) {
	width, height, _ := strings.Cut(s, "x")
	x, errX := strconv.Atoi(width)
	y, errY := strconv.Atoi(height)
	if errX != nil || errY != nil {
		return image.Point{}, fmt.Errorf("--size %s: want WIDTHxHEIGHT", s)
	}
	if min(x, y) < leastSize || max(x, y) > mostSize {
		return image.Point{}, fmt.Errorf("--size %s: want from %d to %d pixels each way", s, leastSize, mostSize)
	}
	return image.Pt(x, y), nil
}

// Limits of --scale, which are those of host.ScaleVariable.
const (
	leastScale = 0.25
	mostScale  = 8
)

func checkScale(scale float32) error {
	if scale >= leastScale && scale <= mostScale { // which NaN is not
		return nil
	}
	return fmt.Errorf("--scale %v: want a number from %v to %v", scale, leastScale, mostScale)
}
