package archtest

// layer is one row of the architecture: a package with its subpackages, and what of this module it
// may import besides its own subpackages. The table is in order: a row may only name rows above
// it.
type layer struct {
	path string
	may  []string
	why  string // what an import of anything else would break
}

var layers = []layer{
	{"shaders", nil, "shader bodies are text that only render compiles"},
	{"internal/progress", nil, "how far work has come is told alike by all that work; it knows none of it"},
	{"internal/plural", nil, "numbers of things are written alike by all, and it knows none of the things"},
	{"internal/quantity", nil, "values are written alike by all, from the loaders on; it knows none of the things"},
	{"internal/spill", nil, "room for columns is the same whatever they hold"},
	{"internal/huge", nil, "pages are the same whatever lies on them"},
	{"internal/trace", []string{"internal/huge", "internal/plural", "internal/progress", "internal/quantity",
		"internal/spill"},
		"the model is what all else is built on; it does no I/O but for the room of columns, and knows no view"},
	{"internal/geom", []string{"internal/plural", "internal/quantity"}, "geometry is shared by all views and knows none"},
	{"internal/palette", nil, "colours go by role and know neither traces nor Gio"},
	{"internal/typeface", nil, "type metrics know neither traces nor Gio"},
	{"internal/command", nil, "the table of commands feeds palette, menus, help and docs alike"},
	{"internal/escape", nil, "a destination is served alike whoever writes to it"},
	{"internal/icon", nil, "the window, packages and a file have the icon from one place"},
	{"internal/notices", nil, "licences are text that the command line prints"},
	{"internal/output", nil, "files are written alike whatever they hold"},
	{"internal/synth", []string{"internal/progress", "internal/output"},
		"the generator is a witness for the loaders only if it shares nothing with them"},
	{"internal/testtrace", []string{"internal/trace"},
		"random traces serve the tests of all packages, so they know none; no program imports them"},
	{"internal/traceio", []string{"internal/plural", "internal/progress", "internal/quantity",
		"internal/spill", "internal/trace"},
		"loaders feed the model; what is done with a trace is not theirs"},
	{"internal/tracefile", []string{"internal/output", "internal/progress", "internal/spill",
		"internal/trace", "internal/traceio"},
		"files of traces are the same whoever opens them, and hold what a loader found, no more"},
	{"internal/pair", []string{"internal/progress", "internal/trace"},
		"identity must not depend on an analysis or a file"},
	{"internal/match", analysis, siblings},
	{"internal/align", append([]string{"internal/geom", "internal/plural"}, analysis...),
		siblings + "; geom is the one formatter of units, for the sentences of findings"},
	{"internal/wait", analysis, siblings},
	{"internal/account", append([]string{"internal/wait"}, analysis...),
		siblings + "; it joins waits and pairs, as align/finding joins alignments, and whoever has " +
			"both needs it"},
	{"internal/stats", analysis, siblings},
	{"internal/runs", append([]string{"internal/wait", "internal/account"}, analysis...),
		"statistics over the accounts of many runs; which of them stand for what is the caller's"},
	{"internal/account/explain", append([]string{"internal/account", "internal/align", "internal/wait",
		"internal/runs", "internal/geom"}, analysis...), "it joins analyses so that none knows another"},
	{"internal/structure", append([]string{"internal/geom"}, analysis...),
		siblings + "; geom is what a treemap is made of"},
	{"internal/aggregate", analysis, siblings},
	{"internal/aggregate/bycode", append([]string{"internal/structure", "internal/aggregate"},
		analysis...), "it joins two analyses so that neither knows the other"},
	{"internal/batch", append([]string{"internal/wait", "internal/account", "internal/account/explain",
		"internal/stats", "internal/align", "internal/output", "internal/plural"}, analysis...),
		"a batch is run by schedulers and read by other programs: no window, no command line"},
	{"internal/batch/fleet", append([]string{"internal/batch", "internal/account/explain",
		"internal/aggregate", "internal/geom"}, analysis...),
		"a batch is looked at by its tables alone; the page and the window show what was found"},
	{"internal/store", append([]string{"internal/match", "internal/align", "internal/wait",
		"internal/structure", "internal/aggregate"}, analysis...),
		"results are stored whoever shows them"},
	{"internal/scene", append([]string{"internal/escape", "internal/geom", "internal/palette", "internal/typeface",
		"internal/match", "internal/align", "internal/wait", "internal/stats", "internal/structure",
		"internal/aggregate"}, analysis...),
		"a view is a pure function of what it is given: no files, no state, no GL, no Gio"},
	{"internal/report", append([]string{"internal/match", "internal/align", "internal/wait",
		"internal/account", "internal/runs", "internal/structure", "internal/aggregate",
		"internal/traceio", "internal/geom", "internal/escape", "internal/plural"},
		analysis...), "a report is text for scripts and must not need a window"},
	{"internal/report/page", append([]string{"internal/report", "internal/match", "internal/align",
		"internal/wait", "internal/account", "internal/structure", "internal/geom", "internal/escape",
		"internal/palette", "internal/plural", "internal/scene"}, analysis...),
		"the command line and the window hand on the same report, also where there is no window"},
	{"internal/saved", []string{"internal/escape", "internal/output"},
		"a file is checked by itself, before there is a trace or a state that it is about"},
	{"internal/session", []string{"internal/plural", "internal/saved", "internal/escape", "internal/progress", "internal/trace", "internal/geom", "internal/command",
		"internal/traceio", "internal/pair", "internal/match", "internal/align", "internal/wait",
		"internal/account", "internal/runs", "internal/stats", "internal/structure", "internal/aggregate",
		"internal/store", "internal/scene", "internal/output", "internal/report/page",
		"internal/tracefile"},
		"state must be testable without a window: no GL, no Gio"},
	{"internal/render", []string{"shaders", "internal/progress", "internal/geom", "internal/scene"},
		"drawing knows primitives, not what they stand for"},
	{"internal/host", []string{"internal/geom", "internal/scene", "internal/render"},
		"the window knows nothing of traces, sessions or views"},
	{"internal/testpic", []string{"internal/geom", "internal/typeface", "internal/scene",
		"internal/render", "internal/host"},
		"pictures in tests: it knows scenes and windows, and no view; only tests import it"},
	{"internal/ui/kit", []string{"internal/geom", "internal/palette", "internal/typeface",
		"internal/escape", "internal/pair", "internal/scene", "internal/render", "internal/host"},
		"what all panels and views are made of knows neither the session nor any of them"},
	{"internal/ui/words", []string{"internal/trace", "internal/geom", "internal/pair",
		"internal/match", "internal/align", "internal/wait", "internal/scene", "internal/session",
		"internal/ui/kit"},
		"what is said is the same whichever panel says it, and lays nothing out"},
	{"internal/ui/view", shown("words"), contract},
	{"internal/ui/uitest", append([]string{"internal/traceio"}, shown("view")...),
		"a user in tests: it knows no view; only tests import it"},
	{"internal/ui/things", append([]string{"internal/escape"}, shown("words", "view")...), contract},
	{"internal/ui/controls", shown("words", "view"), contract},
	{"internal/ui/pins", shown("words", "view", "things"), contract},
	{"internal/ui/flags", shown("words", "view"), contract},
	{"internal/ui/stacks", shown("view", "things"), contract},
	{"internal/ui/overview", shown("words", "view", "things", "flags"), contract},
	{"internal/ui/dock", shown("words", "view", "things"), contract},
	{"internal/ui/matches", viewParts, apart},
	{"internal/ui/aligned", viewParts, apart},
	{"internal/ui/threads", viewParts, apart},
	{"internal/ui/structure", viewParts, apart},
	{"internal/ui/aggregate", viewParts, apart},
	{"internal/ui/fleet", append([]string{"internal/batch", "internal/batch/fleet", "internal/escape"},
		shown("words", "view")...), "the page of a batch shows what was found; opening pairs is the window's"},
	{"internal/ui", []string{"internal/trace", "internal/geom", "internal/palette",
		"internal/typeface", "internal/command", "internal/escape", "internal/traceio", "internal/pair",
		"internal/match", "internal/align", "internal/wait", "internal/stats", "internal/structure",
		"internal/aggregate", "internal/scene", "internal/saved", "internal/session", "internal/render", "internal/host"},
		"panels show the session; files, stored results and reports are the session's"},
	{"internal/batch/trend", []string{"internal/batch", "internal/progress", "internal/runs"},
		"a trend is numbers over the rows of batches; what draws it stands above"},
	{"internal/batch/trend/multiples", []string{"internal/batch/trend", "internal/escape", "internal/geom",
		"internal/palette", "internal/plural", "internal/typeface", "internal/scene"},
		"a picture of a trend is a scene: no files, no window"},
	{"internal/batch/fleetpage", append([]string{"internal/batch", "internal/batch/fleet", "internal/wait",
		"internal/account/explain", "internal/aggregate", "internal/report/page", "internal/geom",
		"internal/escape"}, analysis...),
		"the page says what was found, and needs no window"},
	{"internal/cli", []string{anything}, ""},
	{"cmd/diptych", []string{"internal/cli"}, "main is a few lines; all else belongs to a package"},
	{"internal/fuzzall", nil, "it runs other packages' targets and must not depend on what they test"},
	{"internal/peers", nil, "it runs the program as its users do; packages' own races use it in tests"},
	{"internal/growth", nil, "it has benchmarks only, which may look at everything"},
	{"internal/archtest", nil, "the judge stands outside"},
}

// viewParts are what a view may be made of. It may import no other view and not the window.
var viewParts = append(shown("words", "view", "things", "controls", "pins", "flags", "stacks", "dock"),
	"internal/escape")

// shown returns what parts of the interface may import that show the session: the models and scenes,
// the session, and the given folders of the interface.
func shown(folders ...string) []string {
	may := []string{"internal/trace", "internal/progress", "internal/geom", "internal/palette",
		"internal/typeface", "internal/command", "internal/pair", "internal/match", "internal/align",
		"internal/wait", "internal/account", "internal/runs", "internal/stats", "internal/structure",
		"internal/aggregate", "internal/scene", "internal/session", "internal/ui/kit"}
	for _, f := range folders {
		may = append(may, "internal/ui/"+f)
	}
	return may
}

const (
	contract = "what views share knows none of them, and nothing of the window"
	apart    = "a view is a folder and a row: it knows neither the window nor another view"
	anything = "*"
	siblings = "analyses are pure functions of a Pair or a Trace and must stay replaceable one by one"
)

var analysis = []string{"internal/huge", "internal/progress", "internal/trace", "internal/pair"}

// monopolies are libraries that one part alone may use.
var monopolies = []struct {
	library string
	users   []string
	why     string
}{
	{"github.com/go-gl/gl", []string{"internal/render"},
		"all drawing goes through one place that knows the state of the context"},
	{"github.com/go-gl/glfw", []string{"internal/host"},
		"window and raw input are one package's business"},
	{"gioui.org/widget", []string{"internal/ui"}, "controls belong to the panels"},
	{"gioui.org/x", []string{"internal/ui"}, "controls belong to the panels"},
	{"gioui.org", []string{"internal/ui", "internal/host"},
		"views and state must be testable without an interface"},
	{"github.com/spf13/cobra", []string{"internal/cli"}, "commands are thin wrappers over packages"},
	{"go.etcd.io/bbolt", []string{"internal/store"}, "one package owns the file format of the cache"},
	{"C", []string{"internal/render", "internal/host"}, "everything else builds without cgo"},
}

// windowed are the packages that may need cgo.
var windowed = []string{"internal/render", "internal/host", "internal/testpic", "internal/ui",
	"internal/cli", "cmd/diptych"}
