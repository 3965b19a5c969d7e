package input

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Memory is an amount of memory in bytes. As a flag it is written as a number with a unit, or as a
// share of the machine's memory: 512MiB, 2GB, 40%.
type Memory int64

// The units of Memory, in capital or small letters. The short ones are multiples of 1024, as memory
// is sold.
var memoryUnits = []struct {
	name  string
	bytes float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1},
}

// parseMemory reads an amount as users write it.
func parseMemory(text string) (Memory, error) {
	number, unit := strings.TrimSpace(text), 1.0
	most := float64(math.MaxInt64)
	if share, ok := strings.CutSuffix(number, "%"); ok {
		// A share above 100 % would be no limit, which is most likely a slip.
		number, unit, most = share, float64(machineMemory())/100, float64(machineMemory())
	}
	for _, u := range memoryUnits {
		at := len(number) - len(u.name)
		if at >= 0 && strings.EqualFold(number[at:], u.name) {
			number, unit = strings.TrimSpace(number[:at]), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if n := v * unit; err == nil && n >= 1 && n <= most && n < math.MaxInt64 {
		return Memory(n), nil
	}
	return 0, fmt.Errorf("%q is not an amount of memory such as 512MiB, 2GB or 40%%", text)
}

// String returns the amount in binary units, rounded, in a form that parseMemory reads.
func (m Memory) String() string {
	if m == 0 {
		return ""
	}
	for _, u := range []string{"TiB", "GiB", "MiB", "KiB"} {
		for _, known := range memoryUnits {
			if v := float64(m) / known.bytes; known.name == u && v >= 1 {
				return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) + u
			}
		}
	}
	return strconv.FormatInt(int64(m), 10) + "B"
}

// Set makes Memory a flag.
func (m *Memory) Set(text string) (err error) {
	*m, err = parseMemory(text)
	return err
}

// Type names the flag's value in help texts.
func (m *Memory) Type() string { return "SIZE" }

// defaultShare is the part of the machine's memory that a load may take unless the user says
// otherwise. The rest is for the analyses and for other programs.
const defaultShare = 0.6

// Limit returns how much memory a load may take: m, or the default share if m is zero.
func (m Memory) Limit() Memory {
	if m > 0 {
		return m
	}
	return Memory(defaultShare * float64(machineMemory()))
}

// unknownMachine is the memory of a machine that does not say how much it has.
const unknownMachine = 8 << 30

// Machine returns how much memory this process can have.
func Machine() Memory { return Memory(machineMemory()) }

// machineMemory returns how much memory this process can have, in bytes: the machine's, or less
// where a control group bounds it, as in a container. Every load asks for it, and the files that
// say it are slow to read, so they are read once.
var machineMemory = sync.OnceValue(func() int64 {
	least := int64(math.MaxInt64)
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, file := range groupLimits(string(own)) {
		if text, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 {
				least = min(least, n)
			}
		}
	}
	if text, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kib int64
		if n, _ := fmt.Sscanf(string(text), "MemTotal: %d kB", &kib); n == 1 && kib > 0 {
			least = min(least, kib<<10)
		}
	}
	if least == math.MaxInt64 {
		return unknownMachine
	}
	return least
})

// groupLimits returns the files that may say how much memory the control groups of a process have,
// which are listed as in /proc/self/cgroup: its own group and those around it. In a container the
// list names groups that only the machine outside sees, and the outermost one is the container's.
func groupLimits(list string) (files []string) {
	for line := range strings.Lines(list + "0::/\n1:memory:/\n") {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(fields) < 3 {
			continue
		}
		root, file := "/sys/fs/cgroup", "memory.max"
		switch {
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case fields[1] != "":
			continue
		}
		for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
			files = append(files, path.Join(root, at, file))
			if at == "/" {
				break
			}
		}
	}
	return files
}
