package report

import (
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"diptych/internal/align"
	"diptych/internal/escape"
)

// rowsOf writes a table and reads it back as a list of objects.
func rowsOf(t fataler, write func(io.Writer) error) (out []map[string]string) {
	t.Helper()
	var file bytes.Buffer
	if err := write(&file); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&file).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		m := map[string]string{}
		for k, cell := range row {
			m[rows[0][k]] = cell
		}
		out = append(out, m)
	}
	return out
}

// objectsOf brings JSON objects into the form of a table's rows.
func objectsOf(t fataler, list any) (out []map[string]string) {
	t.Helper()
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var objects []map[string]any
	if err := d.Decode(&objects); err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		m := map[string]string{}
		for k, v := range o {
			if m[k] = fmt.Sprint(v); v == nil {
				m[k] = ""
			}
			if text, ok := v.(string); ok {
				m[k] = escape.Cell(text)
			}
		}
		out = append(out, m)
	}
	return out
}

// renamed are the columns of tables that have another name than the members of JSON objects, by
// those. The sides of gaps and of the pairs of threads are spelled out.
var renamed = map[string]map[string]string{
	"functions": {"name": "function", "plusCount": "lessA", "plusNs": "lessANs", "minusCount": "moreA",
		"minusNs": "moreANs"},
	"pairs": {"a": "threadA", "b": "threadB", "m": "callsA", "n": "callsB", "gapA": "onlyB",
		"gapB": "onlyA", "skewEndNs": "longerANs"},
	"calls": {"a": "callA", "b": "callB", "parent": "parentRow"},
}

// rename returns objects under the names of a table's columns.
func rename(objects []map[string]string, table string) (out []map[string]string) {
	for _, o := range objects {
		m := map[string]string{}
		for key, value := range o {
			m[cmp.Or(renamed[table][key], key)] = value
		}
		out = append(out, m)
	}
	return out
}

// TestTables holds that tables say what the JSON objects say.
func TestTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, results := context.Background(), drawAligned(t, 0)
		a, err := NewAlign(ctx, results)
		if err != nil {
			t.Fatal(err)
		}
		for name, list := range map[string]any{"functions": a.Functions, "pairs": a.Pairs} {
			rows := rowsOf(t, func(w io.Writer) error {
				return TableNamed(name).WriteCSV(ctx, w, results, nil)
			})
			if want := rename(objectsOf(t, list), name); !reflect.DeepEqual(rows, want) {
				t.Fatalf("%s\n%v\nwant\n%v", name, rows, want)
			}
		}
	})
}

// TestCallsAndWalk hold the table of calls and the walk in the JSON object against the dump.
func TestCallsAndWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx, results := context.Background(), drawAligned(t, 0)
		var dump bytes.Buffer
		if err := WriteDump(ctx, &dump, results); err != nil {
			t.Fatal(err)
		}
		lines := []json.RawMessage{}
		for d := json.NewDecoder(&dump); d.More(); {
			var line json.RawMessage
			if err := d.Decode(&line); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, line)
		}
		checkWalk(t, results, lines)

		want := rename(objectsOf(t, lines), "calls")
		rows := rowsOf(t, func(w io.Writer) error { return callTable.WriteCSV(ctx, w, results, nil) })
		if len(rows) != len(want) {
			t.Fatalf("%d rows, %d lines", len(rows), len(want))
		}
		for k, line := range want {
			line["row"] = fmt.Sprint(k)
			line["state"] = map[string]string{"equal": "equal", "different": "different",
				"gapA": "onlyB", "gapB": "onlyA"}[line["state"]]
			if line["parentRow"] == "-1" {
				line["parentRow"] = ""
			}
			for key, value := range line {
				if key != "pair" && rows[k][key] != value {
					t.Fatalf("row %d: %s is %q, want %q", k, key, rows[k][key], value)
				}
			}
		}
	})
}

func checkWalk(t fataler, results []*align.Result, lines []json.RawMessage) {
	t.Helper()
	a, err := NewAlign(context.Background(), results)
	if err != nil {
		t.Fatal(err)
	}
	for _, with := range [][]*align.Result{nil, results} {
		var file bytes.Buffer
		if err := WriteAlign(context.Background(), &file, a, with); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Pairs []json.RawMessage
			Walk  []json.RawMessage
		}
		if err := json.Unmarshal(file.Bytes(), &got); err != nil {
			t.Fatalf("%v in %s", err, file.Bytes())
		}
		if len(got.Pairs) != len(results) || (got.Walk != nil) != (with != nil) ||
			with != nil && fmt.Sprintf("%s", got.Walk) != fmt.Sprintf("%s", lines) {
			t.Fatalf("walk %s, want %s", got.Walk, lines)
		}
	}
}

// TestCallsByHand holds the table of calls in full.
func TestCallsByHand(t *testing.T) {
	var file bytes.Buffer
	if err := callTable.WriteCSV(context.Background(), &file, movedAligned(t), nil); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"row,parentRow,threadA,threadB,state,callA,callB,functionA,functionB,startANs,durationANs," +
			"selfANs,startBNs,durationBNs,selfBNs,virtualStartNs,virtualEndNs",
		"0,,0,0,equal,0,0,main,main,0,9,1,0,9,1,0,14",
		"1,0,0,0,onlyA,1,,moved,,1,5,1,,,,1,6",
		"2,1,0,0,onlyA,2,,leaf0,,2,1,1,,,,2,3",
		"3,1,0,0,onlyA,3,,leaf1,,3,1,1,,,,3,4",
		"4,1,0,0,onlyA,4,,leaf2,,4,1,1,,,,4,5",
		"5,1,0,0,onlyA,5,,leaf3,,5,1,1,,,,5,6",
		"6,0,0,0,equal,6,1,stays,stays,6,1,1,1,1,1,6,7",
		"7,0,0,0,equal,7,2,stays,stays,7,1,1,2,1,1,7,8",
		"8,0,0,0,equal,8,3,stays,stays,8,1,1,3,1,1,8,9",
		"9,0,0,0,onlyB,,4,,moved,,,,4,5,1,9,14",
		"10,9,0,0,onlyB,,5,,leaf0,,,,5,1,1,10,11",
		"11,9,0,0,onlyB,,6,,leaf1,,,,6,1,1,11,12",
		"12,9,0,0,onlyB,,7,,leaf2,,,,7,1,1,12,13",
		"13,9,0,0,onlyB,,8,,leaf3,,,,8,1,1,13,14",
	}
	if got := file.String(); got != strings.Join(want, "\r\n")+"\r\n" {
		t.Errorf("%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}
