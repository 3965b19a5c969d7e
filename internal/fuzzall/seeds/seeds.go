// Package seeds lets fuzz targets begin with seeds that lie in one file for each target. Go would
// read a seed from a file of its own, and hundreds of files with a hundred bytes each take a block
// of the disk each. Only tests and `make corpus` import it, and it knows none of them.
//
// The file of FuzzLoad is testdata/fuzz/FuzzLoad.seeds, beside the folder in which Go looks for
// seeds and to which it writes inputs that fail. It has the seeds one after the other as Go writes
// them: a line that names the format, then a line for each argument.
//
//	go test fuzz v1
//	[]byte("{\"traceEvents\":[")
//	uint16(20)
package seeds

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Format is the first line of each seed.
const Format = "go test fuzz v1\n"

// File returns the path of a target's file, given its package's folder.
func File(dir, target string) string {
	return filepath.Join(dir, "testdata", "fuzz", target+".seeds")
}

// Add adds the seeds of a target's file to the target. A target that has no file has none.
func Add(f *testing.F) {
	f.Helper()
	all, err := Read(File(".", f.Name()))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range all {
		args, err := Parse(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(args...)
	}
}

// Read returns the seeds in a file, each as Go would write it. No file, no seeds.
func Read(path string) ([]string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	parts := strings.Split(string(text), Format)
	if parts[0] != "" {
		return nil, fmt.Errorf("%s does not begin with %q", path, Format)
	}
	for i := range parts {
		parts[i] = Format + parts[i]
	}
	return parts[1:], nil
}

// Parse returns the arguments of a seed.
func Parse(seed string) (args []any, err error) {
	lines, ok := strings.CutPrefix(seed, Format)
	if !ok {
		return nil, fmt.Errorf("the seed %.40q does not begin with %q", seed, Format)
	}
	for line := range strings.Lines(lines) {
		arg, err := parseArgument(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, fmt.Errorf("argument %d of the seed %.200q: %w", len(args), seed, err)
		}
		args = append(args, arg)
	}
	return args, nil
}

// parseArgument returns what a line of the form TYPE(VALUE) says.
func parseArgument(line string) (any, error) {
	kind, value, opened := strings.Cut(line, "(")
	value, closed := strings.CutSuffix(value, ")")
	parse := types[kind]
	if !opened || !closed || parse == nil {
		return nil, fmt.Errorf("%.40q is no argument of a known type", line)
	}
	return parse(value)
}

// types are those of arguments, by the names that Go writes. Floating point and single characters
// are left out, since no target takes them and Go writes each in several ways.
var types = map[string]func(value string) (any, error){
	"string": func(value string) (any, error) { return strconv.Unquote(value) },
	"[]byte": func(value string) (any, error) {
		s, err := strconv.Unquote(value)
		return []byte(s), err
	},
	"bool": func(value string) (any, error) { return strconv.ParseBool(value) },
	"int":  whole[int], "int8": whole[int8], "int16": whole[int16], "int64": whole[int64],
	"uint": whole[uint], "uint16": whole[uint16], "uint32": whole[uint32], "uint64": whole[uint64],
}

// whole parses a whole number, which must be in the range of its type.
func whole[T any](value string) (any, error) {
	var v T
	if _, err := fmt.Sscan(value, &v); err != nil {
		return nil, err
	}
	if fmt.Sprint(v) != value {
		return nil, fmt.Errorf("%q is no %T", value, v)
	}
	return v, nil
}
