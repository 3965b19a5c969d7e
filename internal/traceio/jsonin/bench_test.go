package jsonin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
	"time"
)

// frame and document are what profiles in JSON mostly consist of: objects of few fields, and long
// lists of small numbers.
type frame struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int64  `json:"line"`
}

type document struct {
	Frames  []frame `json:"frames"`
	Samples []int64 `json:"samples"`
}

func document1() []byte {
	var d document
	for i := range 20_000 {
		d.Frames = append(d.Frames, frame{fmt.Sprint("module.function", i), "src/some/file.js", int64(i)})
	}
	for i := range 500_000 {
		d.Samples = append(d.Samples, int64(i%3000))
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return text
}

func read(text []byte) (d document) {
	r := NewReader(bytes.NewReader(text))
	for name := range r.Members() {
		switch name {
		case "frames":
			for range r.Elements() {
				d.Frames = append(d.Frames, r.frame())
			}
		case "samples":
			for n := range r.Ints() {
				d.Samples = append(d.Samples, n)
			}
		}
	}
	return d
}

func (r *Reader) frame() (f frame) {
	for name := range r.Members() {
		switch name {
		case "name":
			f.Name = r.Text()
		case "file":
			f.File = r.Text()
		case "line":
			f.Line, _ = r.Int()
		}
	}
	return f
}

// BenchmarkRead reports, besides its own speed, how many times as long encoding/json takes for the
// same fields, the fastest of either in the same run.
func BenchmarkRead(b *testing.B) {
	text := document1()
	b.SetBytes(int64(len(text)))
	own, standard := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		start := time.Now()
		if d := read(text); len(d.Samples) != 500_000 {
			b.Fatal("samples are missing")
		}
		own = min(own, time.Since(start))
		start = time.Now()
		var d document
		if err := json.Unmarshal(text, &d); err != nil {
			b.Fatal(err)
		}
		standard = min(standard, time.Since(start))
	}
	b.ReportMetric(float64(standard)/float64(own), "x-faster-than-encoding/json")
}
