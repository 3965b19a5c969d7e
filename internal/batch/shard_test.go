package batch

import (
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"1/1": Whole, "3/8": {3, 8}, "8/8": {8, 8}} {
		if s, err := ParseShard(text); err != nil || s != want || s.String() != text {
			t.Errorf("%s: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "1", "0/8", "9/8", "a/b", "1/8/2", "-1/8", "1/", "/1"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is %v", text, s)
		}
	}
}

// TestShardFrom reads what Slurm and Kubernetes say. A broken environment is an error: the process
// would otherwise take all pairs, as all the others would.
func TestShardFrom(t *testing.T) {
	for environment, want := range map[string]string{
		"": "1/1",
		"SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=4": "1/4",
		"SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_COUNT=4": "4/4",
		"JOB_COMPLETION_INDEX=0 JOB_COMPLETIONS=2":                              "1/2",
		"SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=4": "an array with gaps",
		"SLURM_ARRAY_TASK_ID=1":                        "SLURM_ARRAY_TASK_COUNT is not",
		"SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_MIN=1": "SLURM_ARRAY_TASK_COUNT is not",
		"JOB_COMPLETION_INDEX=1":                       "JOB_COMPLETIONS is not: give --shard",
		"JOB_COMPLETION_INDEX=x JOB_COMPLETIONS=2":     `"x": want a number`,
	} {
		variables := map[string]string{}
		for _, v := range strings.Fields(environment) {
			name, value, _ := strings.Cut(v, "=")
			variables[name] = value
		}
		s, err := ShardFrom(func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
		got := s.String()
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", environment, got, want)
		}
	}
}

// TestShardsTakeAll holds that each part is taken by one of n shards, and that shares differ by one
// part at most.
func TestShardsTakeAll(t *testing.T) {
	for of := 1; of < 9; of++ {
		var taken [9]int
		for part := range 40 {
			for index := 1; index <= of; index++ {
				if (Shard{index, of}).Takes(part) {
					taken[0]++
					taken[index]++
				}
			}
		}
		if taken[0] != 40 {
			t.Errorf("%d shards take %d of 40", of, taken[0])
		}
		for _, n := range taken[1 : of+1] {
			if n != 40/of && n != 40/of+1 {
				t.Errorf("%d of %d shards take %v", n, of, taken)
			}
		}
	}
}
