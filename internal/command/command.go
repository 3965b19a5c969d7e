// Package command is the one table of what a user can do: id, title, keys and when it is possible.
// The key bindings, the palette, the keys page and the manual are all made from it, so that none of
// them can disagree. It knows nothing of how a command is carried out.
package command

import (
	"fmt"
	"strings"
)

// ID names a command.
type ID string

// Need is what must be there for a command to make sense.
type Need uint8

const (
	Nothing      Need = iota
	OneTrace          // at least one trace is open
	TwoTraces         // both sides are open
	Selected          // a call is selected
	Searching         // there are search hits
	Working           // a job is running
	SeveralPanes      // the main area is split
)

// Group heads a section of the keys page.
type Group string

const (
	Files   Group = "Traces"
	Moving  Group = "Moving"
	Find    Group = "Finding"
	Match   Group = "Matches"
	Aligned Group = "Alignment"
	Waits   Group = "Threads"
	Panes   Group = "Panes"
	Show    Group = "Showing"
)

// Command is one entry of the table. Keys are spelled like "Ctrl-Shift-P"; the first is shown in
// menus.
type Command struct {
	ID    ID
	Title string
	Keys  []string
	Group Group
	Needs Need
}

// The commands, by id.
const (
	OpenA            ID = "open-a"
	OpenB            ID = "open-b"
	CloseTrace       ID = "close"
	SwapSides        ID = "swap"
	CancelJobs       ID = "cancel-jobs"
	ZoomIn           ID = "zoom-in"
	ZoomOut          ID = "zoom-out"
	PanLeft          ID = "pan-left"
	PanRight         ID = "pan-right"
	ScrollUp         ID = "scroll-up"
	ScrollDown       ID = "scroll-down"
	FitSelection     ID = "fit-selection"
	ShowAll          ID = "show-all"
	Back             ID = "back"
	Forward          ID = "forward"
	SelectParent     ID = "select-parent"
	SelectChild      ID = "select-child"
	SelectPrev       ID = "select-previous"
	SelectNext       ID = "select-next"
	Search           ID = "search"
	NextHit          ID = "next-hit"
	PrevHit          ID = "previous-hit"
	Clear            ID = "clear"
	Palette          ID = "palette"
	Keys             ID = "keys"
	CycleLock        ID = "lock-cycle"
	LockFree         ID = "lock-free"
	LockAbsolute     ID = "lock-absolute"
	LockFromStart    ID = "lock-from-start"
	LockRelative     ID = "lock-proportional"
	LockAligned      ID = "lock-by-alignment"
	ScopeProcess     ID = "scope-process"
	ScopeThread      ID = "scope-thread"
	NextThread       ID = "next-thread"
	PrevThread       ID = "previous-thread"
	MoreLevels       ID = "more-levels"
	FewerLevels      ID = "fewer-levels"
	TallerRows       ID = "taller-rows"
	LowerRows        ID = "lower-rows"
	ViewMatches      ID = "view-matches"
	ViewAlignment    ID = "view-alignment"
	ViewThreads      ID = "view-threads"
	NextWait         ID = "next-wait"
	PrevWait         ID = "previous-wait"
	ToggleObjects    ID = "wait-colours"
	ToggleReleases   ID = "all-releases"
	ToggleIdle       ID = "idle-threads"
	ToggleRoles      ID = "fold-roles"
	HideThread       ID = "hide-thread"
	BringBack        ID = "bring-back"
	ResetCircle      ID = "reset-threads"
	NextDifference   ID = "next-difference"
	PrevDifference   ID = "previous-difference"
	FirstDifference  ID = "first-difference"
	AlignHere        ID = "align-here"
	RemoveAnchors    ID = "remove-anchors"
	Compare          ID = "compare"
	RaiseTau         ID = "tau-raise"
	LowerTau         ID = "tau-lower"
	ColourShift      ID = "colour-shift"
	ColourTrace      ID = "colour-trace"
	ColourPlain      ID = "colour-plain"
	CycleColour      ID = "colour-cycle"
	ToggleSimilarity ID = "similarity"
	ShapeTubes       ID = "tubes"
	ShapeLines       ID = "lines"
	ShapeBoth        ID = "tubes-and-lines"
	ShapeNone        ID = "no-matches"
	CycleShape       ID = "shape-cycle"
	MatchesBest      ID = "matches-best"
	MatchesAll       ID = "matches-all"
	ToggleRelative   ID = "relative-time"
	ToggleFrames     ID = "context-calls"
	ToggleOriginal   ID = "plain-bundling"
	ToggleScheme     ID = "colour-blind"
	NextGroup        ID = "next-group"
	PrevGroup        ID = "previous-group"
	ShowGroups       ID = "groups"
	ShowWaits        ID = "waits"
	ToggleMotion     ID = "motion"
	ToggleDock       ID = "dock"
	ShowFindings     ID = "findings"
	ShowDetails      ID = "details"
	ShowThreads      ID = "threads"
	ShowFunctions    ID = "functions"
	ShowProblems     ID = "problems"
	ToggleTheme      ID = "theme"
	ToggleNarrow     ID = "narrow-style"
	ToggleFullView   ID = "full-screen"
	Quit             ID = "quit"
	SplitRight       ID = "split-right"
	SplitDown        ID = "split-down"
	NextPane         ID = "next-pane"
	PrevPane         ID = "previous-pane"
	ExchangePanes    ID = "exchange-panes"
	OnlyPane         ID = "only-pane"
	ClosePane        ID = "close-pane"
)

// All lists every command, grouped, in the order the keys page shows them.
var All = []Command{
	{OpenA, "Open trace A…", []string{"Ctrl-O"}, Files, Nothing},
	{OpenB, "Open trace B…", []string{"Ctrl-Shift-O"}, Files, Nothing},
	{CloseTrace, "Close both traces", []string{"Ctrl-W"}, Files, OneTrace},
	{SwapSides, "Swap A and B", []string{"Shift-X"}, Files, TwoTraces},
	{CancelJobs, "Cancel what is running", []string{"Ctrl-."}, Files, Working},
	{Quit, "Quit", []string{"Ctrl-Q"}, Files, Nothing},

	{ZoomIn, "Zoom in", []string{"W", "=", "+"}, Moving, OneTrace},
	{ZoomOut, "Zoom out", []string{"S", "-"}, Moving, OneTrace},
	{PanLeft, "Pan left", []string{"A"}, Moving, OneTrace},
	{PanRight, "Pan right", []string{"D"}, Moving, OneTrace},
	{ScrollUp, "Scroll up", []string{"PageUp"}, Moving, OneTrace},
	{ScrollDown, "Scroll down", []string{"PageDown"}, Moving, OneTrace},
	{FitSelection, "Fit what is selected", []string{"F"}, Moving, Selected},
	{ShowAll, "Show all", []string{"Home"}, Moving, OneTrace},
	{Back, "Back to the view before", []string{"Alt-Left", "Ctrl-Z"}, Moving, OneTrace},
	{Forward, "Forward again", []string{"Alt-Right", "Ctrl-Y"}, Moving, OneTrace},
	{SelectParent, "Select the caller", []string{"Up"}, Moving, Selected},
	{SelectChild, "Select the first callee", []string{"Down"}, Moving, Selected},
	{SelectPrev, "Select the call before", []string{"Left"}, Moving, Selected},
	{SelectNext, "Select the call after", []string{"Right"}, Moving, Selected},

	{Search, "Search functions", []string{"/", "Ctrl-F"}, Find, OneTrace},
	{NextHit, "Next hit", []string{"N", "F3"}, Find, Searching},
	{PrevHit, "Previous hit", []string{"Shift-N", "Shift-F3"}, Find, Searching},
	{Clear, "Clear search and selection", []string{"Escape"}, Find, Nothing},
	{Palette, "All commands", []string{"Ctrl-Shift-P"}, Find, Nothing},
	{Keys, "Keys", []string{"?", "F1"}, Find, Nothing},

	{Compare, "Compare again", nil, Match, TwoTraces},
	{RaiseTau, "Raise the threshold τ", []string{"Ctrl-Up"}, Match, TwoTraces},
	{LowerTau, "Lower the threshold τ", []string{"Ctrl-Down"}, Match, TwoTraces},
	{NextGroup, "Next group of matches", []string{"G"}, Match, TwoTraces},
	{PrevGroup, "Previous group of matches", []string{"Shift-G"}, Match, TwoTraces},
	{CycleColour, "Colour of matches: next", []string{"C"}, Match, TwoTraces},
	{ColourShift, "Colour matches by how far apart in time", nil, Match, TwoTraces},
	{ColourTrace, "Colour matches by the other trace's time (the pointer's half looks)", nil, Match, TwoTraces},
	{ColourPlain, "Colour matches alike", nil, Match, TwoTraces},
	{ToggleSimilarity, "Show how similar matches are", []string{"M"}, Match, TwoTraces},
	{CycleShape, "Shape of matches: next", []string{"V"}, Match, TwoTraces},
	{ShapeTubes, "Draw matches as tubes", nil, Match, TwoTraces},
	{ShapeLines, "Draw matches as lines", nil, Match, TwoTraces},
	{ShapeBoth, "Draw matches as tubes with lines", nil, Match, TwoTraces},
	{ShapeNone, "Draw no matches", nil, Match, TwoTraces},
	{MatchesBest, "Draw each call's best match", nil, Match, TwoTraces},
	{MatchesAll, "Draw all matches, the most important first", nil, Match, TwoTraces},
	{ToggleRelative, "Time shifts within groups only", []string{"R"}, Match, TwoTraces},
	{ToggleFrames, "Match calls that fill the view, too", nil, Match, TwoTraces},
	{ToggleOriginal, "Bundle as Holten's original does", nil, Match, TwoTraces},

	{ViewMatches, "View: matches", []string{"3"}, Aligned, OneTrace},
	{ViewAlignment, "View: alignment", []string{"4"}, Aligned, TwoTraces},
	{NextDifference, "Next difference", []string{"E"}, Aligned, TwoTraces},
	{PrevDifference, "Previous difference", []string{"Shift-E"}, Aligned, TwoTraces},
	{FirstDifference, "First difference", []string{"Q"}, Aligned, TwoTraces},
	{AlignHere, "Align here: pair two calls by hand", []string{"X"}, Aligned, Selected},
	{RemoveAnchors, "Remove all anchors", nil, Aligned, TwoTraces},

	{ViewThreads, "View: threads, who waits on whom", []string{"5"}, Waits, OneTrace},
	{NextWait, "Next line of the table of waits", []string{"J"}, Waits, OneTrace},
	{PrevWait, "Previous line of the table of waits", []string{"K"}, Waits, OneTrace},
	{ToggleObjects, "Colour waits by thread or by object", []string{"O"}, Waits, OneTrace},
	{ToggleReleases, "Draw what ended waits, or every release", []string{"U"}, Waits, OneTrace},
	{ToggleIdle, "Show or fold idle threads", []string{"I"}, Waits, OneTrace},
	{ToggleRoles, "Threads of one role: folded or each on its own", []string{"P"}, Waits, OneTrace},
	{HideThread, "Hide the thread under the pointer", []string{"H"}, Waits, OneTrace},
	{BringBack, "Bring back hidden threads", []string{"Shift-H"}, Waits, OneTrace},
	{ResetCircle, "Lay threads out as they were at first", nil, Waits, OneTrace},

	{CycleLock, "Lock the two sides: next way", []string{"L"}, Show, TwoTraces},
	{LockFree, "Lock: each side on its own", nil, Show, TwoTraces},
	{LockAbsolute, "Lock: same time on the recording's clock", nil, Show, TwoTraces},
	{LockFromStart, "Lock: same time since the start", nil, Show, TwoTraces},
	{LockRelative, "Lock: same share of the whole", nil, Show, TwoTraces},
	{LockAligned, "Lock: what the alignment pairs", nil, Show, TwoTraces},
	{ScopeThread, "Show one pair of threads", []string{"1"}, Show, OneTrace},
	{ScopeProcess, "Show all threads", []string{"2"}, Show, OneTrace},
	{MoreLevels, "All threads: more levels of each", []string{"."}, Show, OneTrace},
	{FewerLevels, "All threads: fewer levels of each", []string{","}, Show, OneTrace},
	{TallerRows, "Taller rows", []string{"Ctrl-="}, Show, OneTrace},
	{LowerRows, "Lower rows", []string{"Ctrl--"}, Show, OneTrace},
	{NextThread, "Next pair of threads", []string{"]"}, Show, OneTrace},
	{PrevThread, "Previous pair of threads", []string{"["}, Show, OneTrace},
	{ShowFindings, "Findings: what differs", []string{"Ctrl-1"}, Show, Nothing},
	{ShowDetails, "Details of the selected call", []string{"Ctrl-2"}, Show, Nothing},
	{ShowGroups, "Groups of matches", []string{"Ctrl-3"}, Show, Nothing},
	{ShowWaits, "Waits: who waited on whom for what", nil, Show, OneTrace},
	{ShowThreads, "Threads and their pairs", []string{"Ctrl-4"}, Show, Nothing},
	{ShowFunctions, "Functions", []string{"Ctrl-5"}, Show, Nothing},
	{ShowProblems, "Problems found in the files", []string{"Ctrl-6"}, Show, Nothing},
	{ToggleDock, "Show or hide the dock", []string{"Ctrl-B"}, Show, Nothing},
	{ToggleNarrow, "Narrow calls: boxes or levels", []string{"B"}, Show, OneTrace},
	{ToggleTheme, "Light or dark", []string{"T"}, Show, Nothing},
	{ToggleScheme, "Colours for colour-blind eyes", nil, Show, Nothing},
	{ToggleMotion, "Move things with or without animation", nil, Show, Nothing},
	{ToggleFullView, "Full screen", []string{"F11"}, Show, Nothing},
}

var byKey, byID = index()

func index() (map[string]*Command, map[ID]*Command) {
	keys, ids := map[string]*Command{}, map[ID]*Command{}
	for i := range All {
		c := &All[i]
		ids[c.ID] = c
		for _, k := range c.Keys {
			keys[k] = c
		}
	}
	return keys, ids
}

// ByKey returns the command bound to a key spelled like "Ctrl-Shift-P".
func ByKey(key string) (*Command, bool) {
	c, ok := byKey[key]
	return c, ok
}

// Get returns the command with the given id; it must exist.
func Get(id ID) *Command { return byID[id] }

// Markdown writes the table for the manual.
func Markdown() string {
	var b strings.Builder
	var group Group
	for _, c := range All {
		if len(c.Keys) == 0 {
			continue
		}
		if c.Group != group {
			group = c.Group
			fmt.Fprintf(&b, "\n| %s | |\n| --- | --- |\n", group)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", "`"+strings.Join(c.Keys, "`, `")+"`", c.Title)
	}
	return strings.TrimSpace(b.String())
}
