package view

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"diptych/internal/session"
)

// Choices are the values that a setting may have, with what they do.
type Choices map[string]func(*session.Session)

// Apply carries out a value.
func (c Choices) Apply(s *session.Session, v string) error {
	f, ok := c[v]
	if !ok {
		return fmt.Errorf("want %s", strings.Join(slices.Sorted(maps.Keys(c)), " or "))
	}
	f(s)
	return nil
}

// Number makes a setting of a positive number.
func Number(set func(*session.Session, float64)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n > 0) {
			return fmt.Errorf("want a number above 0")
		}
		set(s, n)
		return nil
	}
}

// Share makes a setting of a number from 0 to 1, which may be given in percent.
func Share(set func(*session.Session, float64)) func(*session.Session, string) error {
	return func(s *session.Session, v string) error {
		n, err := ParseShare(v)
		if err == nil {
			set(s, n)
		}
		return err
	}
}

// ParseShare reads a number from 0 to 1, or the same in percent.
func ParseShare(v string) (float64, error) {
	text, percent := strings.CutSuffix(v, "%")
	n, err := strconv.ParseFloat(text, 64)
	if percent {
		n /= 100
	}
	if err != nil || !(n >= 0 && n <= 1) {
		return 0, fmt.Errorf("want a number from 0 to 1, or a share such as 40%%")
	}
	return n, nil
}
