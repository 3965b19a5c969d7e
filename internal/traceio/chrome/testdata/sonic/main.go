// Sonic decodes the events of a Chrome trace several times and prints the shortest processor time
// and elapsed time of one, in ns. It is the other side of BenchmarkPeerSonic.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"

	"github.com/bytedance/sonic"
)

type event struct {
	Name string          `json:"name"`
	Cat  string          `json:"cat"`
	Ph   string          `json:"ph"`
	Ts   float64         `json:"ts"`
	Dur  float64         `json:"dur"`
	Pid  int64           `json:"pid"`
	Tid  int64           `json:"tid"`
	ID   json.RawMessage `json:"id"`
	Args json.RawMessage `json:"args"`
}

const rounds = 9

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	cpu, elapsed := time.Duration(1<<62), time.Duration(1<<62)
	for range rounds {
		runtime.GC()
		before, began := processorTime(), time.Now()
		var file struct {
			TraceEvents []event `json:"traceEvents"`
		}
		if err := sonic.ConfigDefault.Unmarshal(text, &file); err != nil {
			return err
		}
		cpu, elapsed = min(cpu, processorTime()-before), min(elapsed, time.Since(began))
	}
	fmt.Println(cpu.Nanoseconds(), elapsed.Nanoseconds())
	return nil
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
