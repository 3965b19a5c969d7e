package foreign

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"diptych/internal/plural"
	"diptych/internal/traceio/input"
)

// folder is a kind of directory that is not read.
type folder struct {
	what, do string
	// files are names or patterns of path.Match, all of which are in the directory.
	files []string
}

// folders are the kinds of directories.
var folders = []folder{
	{"a recording of Apple's Instruments (.trace)", "", []string{"form.template"}},
	{"a recording of Apple's Instruments (.trace)", "", []string{"Trace*.run"}},
	{"a result of Intel VTune", "", []string{"*.vtune"}},
	{"a result of Intel Advisor", "", []string{"*.advixe"}},
	{"an HPCToolkit database", "", []string{"meta.db", "profile.db"}},
	{"an HPCToolkit database", "", []string{"experiment.xml"}},
	{"measurements of HPCToolkit", "", []string{"*.hpcrun"}},
	{"a profile of Score-P or Scalasca (CUBE)", "record with SCOREP_ENABLE_TRACING=true, and open the OTF2 archive",
		[]string{"profile.cubex"}},
	{"a profile of Score-P or Scalasca (CUBE)", "record with SCOREP_ENABLE_TRACING=true, and open the OTF2 archive",
		[]string{"anchor.xml"}},
	{"a batch of many pairs", "open it alone, as diptych DIR, or run diptych batch report DIR -o OUT.html",
		[]string{"batch.json", "manifest.csv"}},
	{"a working copy of Git", no, []string{".git"}},
}

// How many files are looked into, and how many are named.
const (
	mostLooked = 100
	mostListed = 5
)

// describeFiles says what a directory or an archive holds.
func describeFiles(src *input.Source, known func(*input.Source) bool) string {
	what := "a directory"
	if src.Archive() {
		what = "an archive"
	}
	names, more := src.Files(mostLooked)
	if len(names) == 0 {
		return what + " of nothing"
	}
	if f := folderOf(src.Dir, names); f != nil {
		k := kind{what: f.what, do: f.do}
		return k.sentence()
	}
	traces, foreign := lookInto(src, names, known)
	switch {
	case len(traces) > 0 && more:
		return fmt.Sprintf("%s with traces in it: name one of them, such as %s", what, traces[0])
	case len(traces) > 0:
		return fmt.Sprintf("%s with %s in it: name one of them, such as %s", what,
			plural.Of(len(traces), "trace"), traces[0])
	case foreign != "":
		return what + " with " + foreign
	}
	count := plural.Of(len(names), "file")
	if more {
		count = fmt.Sprintf("more than %d files", len(names))
	}
	return fmt.Sprintf("%s of %s without a trace: %s", what, count, listed(names, more))
}

// listed names the first of some files.
func listed(names []string, more bool) string {
	text := strings.Join(names[:min(len(names), mostListed)], ", ")
	if len(names) > mostListed || more {
		text += " …"
	}
	return text
}

// lookInto lists the files that some loader reads, and says of the first that is of a foreign
// recording what it is.
func lookInto(src *input.Source, names []string, known func(*input.Source) bool) (traces []string, foreign string) {
	for _, name := range names {
		in := src.Opens(name)
		if in == nil {
			continue
		}
		if known(in) {
			traces = append(traces, in.Path)
		} else if k := kindOf(in.Head); k != nil && k.recorded() && foreign == "" {
			foreign = name + ", " + k.sentence()
		}
		in.Close()
	}
	return traces, foreign
}

// folderOf returns the kind of a directory with such files at its top, or below its only folder.
func folderOf(dir fs.FS, names []string) *folder {
	for i := range folders {
		if folders[i].fits(names) {
			return &folders[i]
		}
	}
	top, _, nested := strings.Cut(names[0], "/")
	if !nested {
		return nil
	}
	var inner []string
	entries, err := fs.ReadDir(dir, top)
	if err != nil {
		return nil
	}
	for _, e := range entries[:min(len(entries), mostLooked)] {
		inner = append(inner, e.Name())
	}
	for i := range folders {
		if folders[i].fits(inner) {
			return &folders[i]
		}
	}
	return nil
}

// fits reports whether all of the kind's files are among those of a directory.
func (f *folder) fits(names []string) bool {
	for _, pattern := range f.files {
		found := false
		for _, name := range names {
			ok, err := path.Match(pattern, strings.TrimSuffix(name, "/"))
			found = found || ok && err == nil
		}
		if !found {
			return false
		}
	}
	return true
}
