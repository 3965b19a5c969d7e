//go:build unix

package chrome

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"diptych/internal/peers"
)

// jsonEvent is what a plain loader would decode an event into.
type jsonEvent struct {
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

// jsontextEvent is the same for the decoder that becomes encoding/json/v2.
type jsontextEvent struct {
	Name string         `json:"name"`
	Cat  string         `json:"cat"`
	Ph   string         `json:"ph"`
	Ts   float64        `json:"ts"`
	Dur  float64        `json:"dur"`
	Pid  int64          `json:"pid"`
	Tid  int64          `json:"tid"`
	ID   jsontext.Value `json:"id"`
	Args jsontext.Value `json:"args"`
}

// The peers decode all events into a list of structures, and no more; ours is a finished trace.

func BenchmarkPeerEncodingJSON(b *testing.B) {
	decodes(b, func(text []byte) error {
		var file struct {
			TraceEvents []jsonEvent `json:"traceEvents"`
		}
		return json.Unmarshal(text, &file)
	})
}

func BenchmarkPeerJSONText(b *testing.B) {
	decodes(b, func(text []byte) error {
		var file struct {
			TraceEvents []jsontextEvent `json:"traceEvents"`
		}
		return jsonv2.Unmarshal(text, &file)
	})
}

func decodes(b *testing.B, peer func(text []byte) error) {
	for name, make := range texts {
		text := make(200_000)
		b.Run(name, func(b *testing.B) {
			peers.Race(b, func() { build(b, text) }, func() {
				if err := peer(text); err != nil {
					b.Fatal(err)
				}
			})
		})
	}
}

// BenchmarkPeerSonic has sonic do the same. It generates machine code for a few releases of Go and
// brings several modules along, so it is a program of its own module, in testdata/sonic. Where it
// cannot be built, as without a network, the race is skipped. The program measures itself, since
// starting it is not decoding.
func BenchmarkPeerSonic(b *testing.B) {
	dir := b.TempDir()
	program := exec.Command("go", "build", "-o", filepath.Join(dir, "sonic"), ".")
	program.Dir = "testdata/sonic"
	if said, err := program.CombinedOutput(); err != nil {
		b.Skipf("sonic cannot be built: %v\n%s", err, said)
	}
	for name, make := range texts {
		text := make(200_000)
		path := filepath.Join(dir, name+".json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			ours := peers.Spent{CPU: 1 << 62, Elapsed: 1 << 62}
			var cpu, elapsed float64 // of sonic, ns
			for b.Loop() {
				said, err := exec.Command(filepath.Join(dir, "sonic"), path).Output()
				if _, scanErr := fmt.Fscan(bytes.NewReader(said), &cpu, &elapsed); err != nil || scanErr != nil {
					b.Fatal(err, scanErr)
				}
				for range 9 {
					s := peers.Measure(func() { build(b, text) })
					ours = peers.Spent{CPU: min(ours.CPU, s.CPU), Elapsed: min(ours.Elapsed, s.Elapsed)}
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(ours.CPU.Seconds()*1e3, "ours-ms")
			b.ReportMetric(cpu/1e6, "peer-ms")
			b.ReportMetric(cpu/float64(ours.CPU), "×peer")
			b.ReportMetric(elapsed/float64(ours.Elapsed), "×peer-elapsed")
		})
	}
}
