package cli

import (
	"runtime/debug"
	"strings"

	"diptych/internal/escape"
)

// version says which build of the program this is, from what the Go toolchain wrote into it: the
// version, which follows from the tags of the repository, the commit, and the toolchain itself.
func version() string {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown version\n"
	}
	return describeBuild(b)
}

// describeBuild writes, for example,
//
//	diptych v0.3.0
//	commit 644c0421d9… of 2026-11-22T11:40:12Z, with changes
//	go1.26.8 linux/amd64
func describeBuild(b *debug.BuildInfo) string {
	set := map[string]string{}
	for _, s := range b.Settings {
		set[s.Key] = s.Value
	}
	var out strings.Builder
	escape.Printf(&out, "diptych %s\n", strings.Trim(b.Main.Version, "()"))
	if commit := set["vcs.revision"]; commit != "" {
		escape.Printf(&out, "commit %s of %s", commit, set["vcs.time"])
		if set["vcs.modified"] == "true" {
			out.WriteString(", with changes")
		}
		out.WriteString("\n")
	}
	escape.Printf(&out, "%s %s/%s\n", b.GoVersion, set["GOOS"], set["GOARCH"])
	return out.String()
}
