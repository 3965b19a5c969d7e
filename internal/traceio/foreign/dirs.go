package foreign

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
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
	{"a recording of uftrace without a sound file info", "that file says how the others are to be read",
		[]string{"task.txt", "*.dat"}},
	{"a batch of many pairs", "open it alone, as diptych DIR, or run diptych batch report DIR -o OUT.html",
		[]string{"batch.json", "manifest.csv"}},
	{"a working copy of Git", no, []string{".git"}},
}

// How many files are looked into, and how many are named.
const (
	mostLooked = 100
	mostListed = 5
)

// describeFiles says what a directory or an archive holds. An archive lies in so many others.
func describeFiles(src *input.Source, known func(*input.Source) bool, depth int) string {
	what := "a directory"
	if src.Archive() {
		what = "an archive"
	}
	names, more := src.Files(mostLooked)
	all := src.Contents(names)
	if len(all) == 0 {
		return what + " of nothing"
	}
	if f := folderOf(src.Dir, names); f != nil {
		k := kind{what: f.what, do: f.do}
		return k.sentence()
	}
	if !slices.ContainsFunc(all, input.Content.Files) {
		return what + " without a file: " + counted(all)
	}
	found := lookInto(src, names, known, depth)
	rest := ""
	if found.unread != nil {
		rest = "; " + found.unread.Error()
	}
	switch {
	case len(found.traces) > 0 && more:
		return fmt.Sprintf("%s with traces in it: name one of them, such as %s", what, found.traces[0])
	case len(found.traces) == 1:
		return fmt.Sprintf("%s with one trace in it: name that, %s", what, found.traces[0])
	case len(found.traces) > 0:
		return fmt.Sprintf("%s with %s in it: name one of them, such as %s", what,
			plural.Of(len(found.traces), "trace"), found.traces[0])
	case found.foreign != "":
		return what + " with " + found.foreign + rest
	case more:
		return fmt.Sprintf("%s of more than %d files without a trace: %s …%s", what, len(names),
			strings.Join(names[:mostListed], ", "), rest)
	case len(all) == 1:
		return fmt.Sprintf("%s of %s without a trace: %s%s", what,
			plural.Of(all[0].Count, all[0].One, all[0].Many), listed(all[0]), rest)
	}
	return what + " without a trace: " + counted(all) + rest
}

// counted counts contents of several kinds.
func counted(all []input.Content) string {
	var parts []string
	for _, c := range all {
		parts = append(parts, fmt.Sprintf("%s (%s)", plural.Of(c.Count, c.One, c.Many), listed(c)))
	}
	return strings.Join(parts, ", ")
}

// listed names the first of some contents.
func listed(c input.Content) string {
	text := strings.Join(c.Names, ", ")
	if c.Count > len(c.Names) {
		text += " …"
	}
	return text
}

// findings are what the files of a directory or an archive are.
type findings struct {
	traces  []string // paths of files that some loader reads
	foreign string   // what the first is that is of a foreign recording, or else an archive
	unread  error    // why the first that cannot be read could not be
}

// lookInto looks at the beginnings of files.
func lookInto(src *input.Source, names []string, known func(*input.Source) bool, depth int) (f findings) {
	archive := ""
	for _, name := range names {
		in, err := src.Opens(name)
		if f.unread == nil {
			f.unread = err
		}
		if in == nil {
			continue
		}
		if known(in) {
			f.traces = append(f.traces, in.Path)
		} else if k := kindOf(input.PlainHead(in.Head)); k != nil && k.recorded() && f.foreign == "" {
			f.foreign = name + ", " + k.sentence()
		} else if in.IsArchive() && archive == "" {
			archive = name
		}
		in.Close()
	}
	if f.foreign == "" && archive != "" {
		f.foreign = archive + ", " + describeArchive(src, archive, known, depth)
	}
	return f
}

// describeArchive says what an archive holds that lies in another one or in a directory.
func describeArchive(src *input.Source, name string, known func(*input.Source) bool, depth int) string {
	if !src.Archive() {
		return "an archive: name it to open what it holds"
	}
	in := src.Inner(name, known, depth)
	if in == nil {
		return fmt.Sprintf("an archive within %s, which is not looked into: unpack it first",
			plural.Of(depth, "other"))
	}
	defer in.Close()
	return describeFiles(in, known, depth+1)
}

// folderOf returns the kind of a directory with such files at its top, or below its only folder.
func folderOf(dir fs.FS, names []string) *folder {
	for i := range folders {
		if folders[i].fits(names) {
			return &folders[i]
		}
	}
	if len(names) == 0 {
		return nil
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
