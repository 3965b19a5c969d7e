package host

// Nudge ends the window's wait for events.
func Nudge() { nudge() }
