package view

import (
	"image"

	"gioui.org/io/event"
	"gioui.org/layout"

	"diptych/internal/command"
	"diptych/internal/session"
	"diptych/internal/ui/kit"
)

// Thing is what is under the pointer or has the choice, such as a call or a row of a table, with
// what can be done with it. The menu of a right click, Ctrl-C and the palette are all made of it.
// The zero value is no thing.
type Thing struct {
	Name string // heads the menu: a call's function, a finding's sentence
	// Choose gives it the choice, so that commands and their keys are about it, too. It is called
	// before its menu opens; nil where there is nothing to choose.
	Choose  func(c *Context)
	Entries []Entry
	// Text writes it for the clipboard, and Usual is the format that Ctrl-C takes; nil if there is
	// nothing to copy.
	Text  func(f kit.TextFormat) string
	Usual kit.TextFormat
	Call  session.Target  // if it is a call
	Box   image.Rectangle // where it is in the window, px; empty if that is not known
	Tag   event.Tag       // gets the keys back once the menu is closed; may be nil
}

// Entry is one thing that can be done. It is a command, or what Do does; with both, Do does what
// the command would.
type Entry struct {
	Title   string // "" for the command's
	Command command.ID
	Do      func(c *Context, gtx layout.Context)
	Apart   bool // it begins another group of entries
}

// Holder is a View or a Panel in which something can be pointed at or be chosen.
type Holder interface {
	// Thing returns what is under the pointer or, if pointed is false, what has the choice.
	Thing(c *Context, pointed bool) Thing
}

// Functions is the tab of the dock whose Panel is a Studier.
const Functions = "functions"

// Studier is a Panel that can show how long the calls of a function take. The function is an index
// into the Names of the pair.
type Studier interface {
	Study(c *Context, function uint32)
}
