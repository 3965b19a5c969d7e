// Package command is the one table of what a user can do: id, title, keys and when it is possible.
// The window's own commands are here; each view adds its own. The key bindings, the palette, the
// keys page and the manual are all made from the table, so that none of them can disagree. It knows
// nothing of how a command is carried out.
package command

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
	OneBatch          // a batch of pairs is open
)

// Group heads a section of the keys page.
type Group string

const (
	Files  Group = "Traces"
	Moving Group = "Moving"
	Find   Group = "Finding"
	Panes  Group = "Panes"
	Show   Group = "Showing"
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

// The window's own commands, by id; those of a view are in its package.
const (
	OpenA          ID = "open-a"
	OpenB          ID = "open-b"
	OpenFolderA    ID = "open-folder-a"
	OpenFolderB    ID = "open-folder-b"
	OpenSession    ID = "open-session"
	OpenBatch      ID = "open-batch"
	ShowBatch      ID = "fleet"
	NextQuantity   ID = "fleet-quantity"
	SaveSession    ID = "save-session"
	SaveAs         ID = "save-session-as"
	Continue       ID = "continue-session"
	CloseTrace     ID = "close"
	ReadAgain      ID = "read-again"
	SwapSides      ID = "swap"
	WriteReport    ID = "write-report"
	SaveDrawing    ID = "save-svg"
	SavePane       ID = "save-pane"
	SaveWindow     ID = "save-window"
	CopyDrawing    ID = "copy-view"
	CopyPane       ID = "copy-pane"
	CopyWindow     ID = "copy-window"
	CancelJobs     ID = "cancel-jobs"
	ZoomIn         ID = "zoom-in"
	ZoomOut        ID = "zoom-out"
	PanLeft        ID = "pan-left"
	PanRight       ID = "pan-right"
	ScrollUp       ID = "scroll-up"
	ScrollDown     ID = "scroll-down"
	FitSelection   ID = "fit-selection"
	ShowAll        ID = "show-all"
	Back           ID = "back"
	Forward        ID = "forward"
	SelectParent   ID = "select-parent"
	SelectChild    ID = "select-child"
	SelectPrev     ID = "select-previous"
	SelectNext     ID = "select-next"
	Search         ID = "search"
	NextHit        ID = "next-hit"
	PrevHit        ID = "previous-hit"
	Clear          ID = "clear"
	Palette        ID = "palette"
	Keys           ID = "keys"
	CycleLock      ID = "lock-cycle"
	LockFree       ID = "lock-free"
	LockAbsolute   ID = "lock-absolute"
	LockFromStart  ID = "lock-from-start"
	LockRelative   ID = "lock-proportional"
	LockAligned    ID = "lock-by-alignment"
	CommonScale    ID = "common-scale"
	ScopeProcess   ID = "scope-process"
	ScopeThread    ID = "scope-thread"
	NextThread     ID = "next-thread"
	PrevThread     ID = "previous-thread"
	QuietThreads   ID = "near-idle-threads"
	MoreLevels     ID = "more-levels"
	FewerLevels    ID = "fewer-levels"
	TallerRows     ID = "taller-rows"
	LowerRows      ID = "lower-rows"
	Compare        ID = "compare"
	ToggleScheme   ID = "colour-blind"
	ToggleMotion   ID = "motion"
	ToggleDock     ID = "dock"
	ShowFindings   ID = "findings"
	ShowDetails    ID = "details"
	ShowThreads    ID = "threads"
	ShowFunctions  ID = "functions"
	ShowProblems   ID = "problems"
	ShowRuns       ID = "runs"
	ShowNotes      ID = "notes"
	AddNote        ID = "add-note"
	NextNote       ID = "next-note"
	PrevNote       ID = "previous-note"
	LargerScale    ID = "larger-scale"
	SmallerScale   ID = "smaller-scale"
	UsualScale     ID = "usual-scale"
	ShowRange      ID = "range"
	Menu           ID = "menu"
	CopyThing      ID = "copy"
	CopyThingList  ID = "copy-markdown"
	CopyThingRow   ID = "copy-row"
	CopyTable      ID = "copy-table"
	CopyMarkdown   ID = "copy-table-markdown"
	ToggleTheme    ID = "theme"
	ToggleNarrow   ID = "narrow-style"
	ToggleFullView ID = "full-screen"
	Quit           ID = "quit"
	SplitRight     ID = "split-right"
	SplitDown      ID = "split-down"
	NextPane       ID = "next-pane"
	PrevPane       ID = "previous-pane"
	ExchangePanes  ID = "exchange-panes"
	OnlyPane       ID = "only-pane"
	ClosePane      ID = "close-pane"
)

// Commands of views that more than one package performs.
const (
	AlignHere     ID = "align-here"
	RemoveAnchors ID = "remove-anchors"
	ShowGroups    ID = "groups"
)
