package output

import "os"

// movesOpen says that nothing can be renamed while it is open.
const movesOpen = false

// lock has nothing to do: what is open can be neither renamed nor removed by another process.
func lock(*os.File) lockState { return locked }

// removeAbandoned removes a temporary file or directory if no process has it open. It is renamed
// first, which fails if one has: removing a directory would begin with the files in it. The other
// name, aside, is that of a temporary file, too, so that it is swept if this process is killed.
func removeAbandoned(name, aside string) {
	if os.Rename(name, aside) == nil {
		os.RemoveAll(aside)
	}
}
