package firefox

import "math"

// tables are what samples refer to: of a thread, or in newer versions of all threads.
type tables struct {
	strings []string

	stackPrefix, stackFrame                                             *column
	frameFunc, frameLocation, frameAddress, frameLine, frameLib         *column
	funcName, funcResource, funcFile, funcSource, funcLine, funcAddress *column
	resourceLib, resourceName                                           *column
	sourceFile                                                          *column
}

// Bits of the columns "flags" of frames (from version 71 on) and of functions (75): which values
// are there. Those that are not are 0 in place of null.
const (
	frameHasAddress, frameHasLine               = 2, 16
	funcHasResource, funcHasSource, funcHasLine = 4, 8, 16
)

// readMember reads a table, if the member of that name is one.
func (t *tables) readMember(r *reader, name string) {
	switch name {
	case "stringTable", "stringArray":
		for range r.Elements() {
			t.strings = append(t.strings, r.Text())
		}
	case "stackTable":
		t.readStacks(r)
	case "frameTable":
		t.readFrames(r)
	case "funcTable":
		t.readFunctions(r)
	case "resourceTable":
		t.resourceLib, t.resourceName = whole("lib"), whole("name")
		t.resourceLib.ragged = true // in older versions
		readTable(r, t.resourceLib, t.resourceName)
	case "sources":
		t.sourceFile = whole("filename")
		readTable(r, t.sourceFile)
	}
}

// readStacks reads the table of stacks. From version 66 on a stack says how many rows before it its
// caller is, and 0 if it has none.
func (t *tables) readStacks(r *reader) {
	t.stackPrefix, t.stackFrame = whole("prefix"), whole("frame")
	before := whole("prefixOffset")
	readTable(r, t.stackPrefix, t.stackFrame, before)
	if t.stackPrefix.length() > 0 || before.length() == 0 {
		return
	}
	for i, n := range before.whole {
		switch {
		case n == 0:
			before.whole[i] = null
		case n == null || int(n) > i:
			before.whole[i] = math.MaxInt32 // none that is there
		default:
			before.whole[i] = int32(i) - n
		}
	}
	t.stackPrefix.whole = before.whole
}

func (t *tables) readFrames(r *reader) {
	t.frameFunc, t.frameLocation, t.frameAddress = whole("func"), whole("location"), whole("address")
	t.frameLine, t.frameLib = whole("line"), whole("lib")
	flags := whole("flags")
	readTable(r, t.frameFunc, t.frameLocation, t.frameAddress, t.frameLine, t.frameLib, flags)
	flags.clear(frameHasAddress, t.frameAddress, t.frameLib)
	flags.clear(frameHasLine, t.frameLine)
}

func (t *tables) readFunctions(r *reader) {
	t.funcName, t.funcResource, t.funcFile = whole("name"), whole("resource"), whole("fileName")
	t.funcSource, t.funcLine, t.funcAddress = whole("source"), whole("lineNumber"), whole("address")
	flags := whole("flags")
	readTable(r, t.funcName, t.funcResource, t.funcFile, t.funcSource, t.funcLine, t.funcAddress, flags)
	flags.clear(funcHasResource, t.funcResource)
	flags.clear(funcHasSource, t.funcSource)
	flags.clear(funcHasLine, t.funcLine)
}

// clear makes values null where the bit of a column of flags is not set.
func (c *column) clear(bit int32, of ...*column) {
	for _, o := range of {
		for i, flags := range c.whole[:min(len(c.whole), len(o.whole))] {
			if flags&bit == 0 {
				o.whole[i] = null
			}
		}
	}
}

// text returns a text of the tables, "" if it is not there.
func (t *tables) text(n int32) string {
	if n < 0 || int(n) >= len(t.strings) {
		return ""
	}
	return t.strings[n]
}

// orShared fills in the tables that the thread has not, from those of all threads.
func (t *tables) orShared(s *tables) {
	if t.strings == nil {
		t.strings = s.strings
	}
	if t.stackFrame == nil {
		t.stackPrefix, t.stackFrame = s.stackPrefix, s.stackFrame
	}
	if t.frameFunc == nil {
		t.frameFunc, t.frameLocation = s.frameFunc, s.frameLocation
		t.frameAddress, t.frameLine, t.frameLib = s.frameAddress, s.frameLine, s.frameLib
	}
	if t.funcName == nil {
		t.funcName, t.funcResource, t.funcFile = s.funcName, s.funcResource, s.funcFile
		t.funcSource, t.funcLine, t.funcAddress = s.funcSource, s.funcLine, s.funcAddress
	}
	if t.resourceLib == nil {
		t.resourceLib, t.resourceName = s.resourceLib, s.resourceName
	}
	t.sourceFile = s.sourceFile
}

// same reports whether two threads have the same tables, not only equal ones. The columns of a
// table are made together.
func (t *tables) same(o *tables) bool {
	return t.stackFrame == o.stackFrame && t.frameFunc == o.frameFunc && t.funcName == o.funcName &&
		t.resourceLib == o.resourceLib && t.sourceFile == o.sourceFile && same(t.strings, o.strings)
}

// same reports whether two lists are one.
func same[T any](x, y []T) bool { return len(x) == len(y) && (len(x) == 0 || &x[0] == &y[0]) }

// thread is what a document says of a thread.
type thread struct {
	tables
	name, processName, processType, site, pid, tid string

	libs        []library
	paused      []float64
	stack       *column // of samples
	time, delta *column
	weight      *column
	weightType  string
	samples     int
	markers     markers
	allocations uint64
}

func readThread(r *reader) *thread {
	t := &thread{}
	for name := range r.Members() {
		switch name {
		case "name":
			t.name = r.Text()
		case "processName":
			t.processName = r.Text()
		case "processType":
			t.processType = r.Text()
		case "eTLD+1":
			t.site = r.Text()
		case "pid":
			t.pid = textOrNumber(r)
		case "tid":
			t.tid = textOrNumber(r)
		case "pausedRanges":
			t.paused = readPaused(r)
		case "libs":
			t.libs = (&document{}).readLibraries(r, nil)
		case "samples":
			t.readSamples(r)
		case "markers":
			t.markers.read(r)
		case "jsAllocations", "nativeAllocations":
			stack := whole("stack")
			t.allocations += uint64(readTable(r, stack))
		default:
			t.readMember(r, name)
		}
	}
	return t
}

func (t *thread) readSamples(r *reader) {
	t.stack, t.time, t.delta = whole("stack"), decimal("time"), decimal("timeDeltas")
	t.weight = decimal("weight")
	kind := &column{name: "weightType", kind: single}
	t.samples = readTable(r, t.stack, t.time, t.delta, t.weight, kind)
	t.weightType = kind.text
}

// timed reports whether the samples have times.
func (t *thread) timed() bool {
	return t.samples > 0 && len(t.time.decimal)+len(t.delta.decimal) > 0 && t.weightType != "bytes"
}
