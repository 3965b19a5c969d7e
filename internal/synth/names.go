package synth

import "strconv"

var (
	packages = []string{"render", "render/gl", "scene", "scene/cull", "mesh", "texture", "shader",
		"db", "db/index", "db/page", "db/wal", "cache", "net", "net/http", "net/rpc", "codec",
		"codec/json",
		"codec/zip", "audio", "audio/mix", "physics", "physics/solve", "ai", "ai/path", "script",
		"script/vm", "asset", "asset/pack", "geom", "ui", "ui/layout", "ui/text", "log", "metric",
		"sched", "store", "store/shard", "query", "query/plan", "auth"}
	types = []string{"Mesh", "Index", "Page", "Batch", "Cursor", "Buffer", "Reader", "Writer", "Node",
		"Tree", "Queue", "Pool", "Frame", "Layer", "Glyph", "Body", "Contact", "Solver", "Path", "Graph",
		"Token", "Parser", "Table", "Row", "Key", "Segment", "Block", "Stream", "Session", "Request",
		"Route", "Atlas", "Bone", "Light", "Camera", "Shard", "Entry", "Plan", "Filter", "Sampler"}
	verbs = []string{"Draw", "Split", "Merge", "Update", "Find", "Insert", "Remove", "Walk", "Visit",
		"Encode", "Decode", "Flush", "Fill", "Scan", "Sort", "Hash", "Compare", "Clone", "Reset", "Bind",
		"Submit", "Collect", "Resolve", "Advance", "Step", "Apply", "Check", "Load", "Save", "Grow",
		"Shrink", "Seek", "Match", "Expand", "Reduce", "Emit", "Pack", "Unpack", "Clip", "Blend"}
	lower  = []string{"draw", "split", "merge", "next", "find", "probe", "sum", "walk", "push", "pop"}
	second = []string{"Vec", "Range", "Slot", "Span", "Edge", "Cell", "Word", "Bits", "Tag", "Item"}
	newer  = []string{"V2", "Fast", "Context", "Into", "All"}
)

// namer makes plausible qualified names, each once.
type namer struct {
	dice dice
	used map[string]bool
}

func newNamer(seed, stream uint64) *namer {
	return &namer{newDice(seed, stream), map[string]bool{}}
}

func (n *namer) function() string {
	pick := func(from []string) string { return from[n.dice.below(len(from))] }
	pkg := pick(packages)
	switch n.dice.below(4) {
	case 0:
		return n.unique(pkg + "." + pick(types) + "." + pick(verbs))
	case 1:
		return n.unique(pkg + "." + pick(lower) + pick(second))
	default:
		return n.unique(pkg + ".(*" + pick(types) + ")." + pick(verbs))
	}
}

func (n *namer) renamed(old string) string {
	return n.unique(old + newer[n.dice.below(len(newer))])
}

// unique reserves the name, numbered where it is taken.
func (n *namer) unique(name string) string {
	free := name
	for i := 2; n.used[free]; i++ {
		free = name + strconv.Itoa(i)
	}
	n.used[free] = true
	return free
}

// renamedFunction is a function that has another name on side B.
type renamedFunction struct {
	fn       uint32
	from, to string
}

// renameSome renames functions of names in place, each at the rate asked for. What the C library
// provides keeps its name, and so do the spanning calls.
func renameSome(names []string, p *program, o Options) []renamedFunction {
	n := newNamer(o.Seed, streamRenames)
	for _, name := range names {
		n.used[name] = true
	}
	threshold := share(o.Edits[Rename])
	var out []renamedFunction
	for fn := int(firstOwn); fn < len(p.functions); fn++ {
		if n.dice.hits(threshold) {
			r := renamedFunction{uint32(fn), names[fn], n.renamed(names[fn])}
			names[fn] = r.to
			out = append(out, r)
		}
	}
	return out
}
