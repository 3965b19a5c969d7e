package batch

import (
	"os"
	"strings"
	"testing"
)

// TestShardFromSlurm has what Slurm 22.05 sets in tasks of arrays that were submitted so.
func TestShardFromSlurm(t *testing.T) {
	for _, c := range []struct {
		array                     string
		id, count, min, max, step string
		want                      string
	}{
		{"0-7", "0", "8", "0", "7", "1", "1/8"},
		{"0-7", "7", "8", "0", "7", "1", "8/8"},
		{"1-8", "1", "8", "1", "8", "1", "1/8"},
		{"1-8%3", "8", "8", "1", "8", "1", "8/8"},
		{"0-14:2", "4", "8", "0", "14", "2", "3/8"},
		{"1-15:2", "15", "8", "1", "15", "2", "8/8"},
		{"5", "5", "1", "5", "5", "1", "1/1"},
		{"1,3,7", "1", "3", "1", "7", "1", "an array with gaps"},
		{"1,3,7", "3", "3", "1", "7", "1", "an array with gaps"},
	} {
		set := map[string]string{"ID": c.id, "COUNT": c.count, "MIN": c.min, "MAX": c.max, "STEP": c.step}
		s, err := ShardFrom(func(name string) (string, bool) {
			value, ok := set[strings.TrimPrefix(name, "SLURM_ARRAY_TASK_")]
			return value, ok
		})
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("--array=%s, task %s: %s, want %s", c.array, c.id, got, c.want)
		}
	}
}

// TestSlurmScriptIsDocumented checks that users copy the script that make test-slurm tries.
func TestSlurmScriptIsDocumented(t *testing.T) {
	script, err := os.ReadFile("../../testdata/slurm/batch.sbatch")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../docs/batch.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "```bash\n"+string(script)+"```\n") {
		t.Error("docs/batch.md has another script than testdata/slurm/batch.sbatch")
	}
}
