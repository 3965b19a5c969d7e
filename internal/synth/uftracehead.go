package synth

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	executable = "/opt/simulated/" + processName
	buildID    = "5d1f7ccfd1b70c4c5a3d1a1e5e4f1b1c0a9d8e7f"
	sessionID  = "5d1f7ccfd1b70c4c"
	imageBase  = 0x55d0_0000_0000
	imageSize  = 0x0200_0000
)

// symbolAddress is where the function at a place in the list of names lies in the executable:
// library calls in the linkage table first.
func symbolAddress(fn int) uint64 { return 0x1000 + uint64(fn)*0x40 }

// Bits that say what the files hold; uftrace calls them features and pieces of information.
const (
	// linkage table, sessions, arguments, results, relative symbols, deepest stack
	features = 1<<0 | 1<<1 | 1<<3 | 1<<4 | 1<<5 | 1<<6
	// executable, build id, exit status, command, tasks, argument types, date, patterns, version
	contents = 1<<0 | 1<<1 | 1<<2 | 1<<3 | 1<<7 | 1<<10 | 1<<11 | 1<<12 | 1<<13
)

const argumentTypes = "pthread_mutex_lock@arg1/x;pthread_mutex_unlock@arg1/x;sem_wait@arg1/x;" +
	"sem_post@arg1/x;pthread_create@arg1/x,arg3/x;pthread_join@arg1/x;read@arg1/d32,arg2/x,arg3/u;" +
	"write@arg1/d32,arg2/x,arg3/u;open@arg1/s,arg2/x"

const stagedArguments = ";pthread_cond_wait@arg1/x,arg2/x;pthread_cond_timedwait@arg1/x,arg2/x;" +
	"pthread_cond_signal@arg1/x;fsync@arg1/d64"

const resultTypes = "sem_wait@retval/d32;read@retval/d64;write@retval/d64;open@retval/d32"

// writeUftraceHead writes all files of a directory but the records.
func writeUftraceHead(dir string, names []string, prog *program, threads int) error {
	for name, content := range map[string][]byte{
		"info":                      uftraceInfo(prog, threads),
		"task.txt":                  uftraceTasks(threads),
		"sid-" + sessionID + ".map": uftraceMap(),
		processName + ".sym":        uftraceSymbols(names, prog),
		"default.opts":              nil,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func uftraceInfo(prog *program, threads int) []byte {
	b := []byte(uftraceMagic)
	b = binary.LittleEndian.AppendUint32(b, 4)  // version
	b = binary.LittleEndian.AppendUint16(b, 40) // size of this header
	b = append(b, 1, 2)                         // little endian, 64 bit
	b = binary.LittleEndian.AppendUint64(b, features)
	b = binary.LittleEndian.AppendUint64(b, contents)
	b = binary.LittleEndian.AppendUint16(b, 1024) // deepest stack
	b = append(b, make([]byte, 6)...)
	var tids []string
	for t := range threads {
		tids = append(tids, fmt.Sprint(tid(t)))
	}
	b = fmt.Appendf(b, "exename:%s\nbuild_id:%s\nexit_status:0\n", executable, buildID)
	b = fmt.Appendf(b, "cmdline:%s\n", executable)
	b = fmt.Appendf(b, "taskinfo:lines=2\ntaskinfo:nr_tid=%d\ntaskinfo:tids=%s\n",
		threads, strings.Join(tids, ","))
	arguments := argumentTypes
	if len(prog.stage.scenes) > 0 {
		arguments += stagedArguments
	}
	b = fmt.Appendf(b, "argspec:lines=2\nargspec:%s\nretspec:%s\n", arguments, resultTypes)
	b = fmt.Appendf(b, "record_date:Thu Jan  1 00:16:40 1970\nelapsed_time:1.000000000 sec\n")
	return fmt.Appendf(b, "pattern_type:simple\nuftrace_version:v0.13 ( simulated )\n")
}

func uftraceTasks(threads int) []byte {
	const second = bootTime / 1_000_000_000
	b := fmt.Appendf(nil, "SESS timestamp=%d.000000000 pid=%d sid=%s exename=%q\n",
		second-1, processID, sessionID, executable)
	for t := range threads {
		b = fmt.Appendf(b, "TASK timestamp=%d.%09d tid=%d pid=%d\n", second-1, t+1, tid(t), processID)
	}
	return b
}

func uftraceMap() []byte {
	b := fmt.Appendf(nil, "%x-%x r-xp 00000000 00:00 0                          %s build-id:%s\n",
		imageBase, imageBase+imageSize, executable, buildID)
	return fmt.Appendf(b, "7ffdb48fb000-7ffdb491c000 rw-p 00000000 00:00 0"+
		"                          [stack]\n")
}

func uftraceSymbols(names []string, prog *program) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# symbols: %d\n# path name: %s\n# build-id: %s\n",
		len(names)+2, executable, buildID)
	for fn, name := range names {
		kind := 'T'
		if opOf(prog.at(fn)) != plain {
			kind = 'P'
		}
		if uint32(fn) == fnMain {
			fmt.Fprintf(&b, "%016x ? __dynsym_end\n", symbolAddress(int(fnMain))-0x20)
		}
		fmt.Fprintf(&b, "%016x %c %s\n", symbolAddress(fn), kind, name)
	}
	fmt.Fprintf(&b, "%016x ? __sym_end\n", symbolAddress(len(names)))
	return b.Bytes()
}
