package batch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Shard is the share of the parts that one process takes: those whose number leaves Index−1 when
// divided by Of.
type Shard struct{ Index, Of int } // Index from 1 to Of

// Whole is the shard of one process that takes all.
var Whole = Shard{1, 1}

// ParseShard reads "i/n", i from 1 to n.
func ParseShard(text string) (Shard, error) {
	i, n, ok := strings.Cut(text, "/")
	index, err := strconv.Atoi(i)
	of, err2 := strconv.Atoi(n)
	if !ok || errors.Join(err, err2) != nil || index < 1 || index > of {
		return Shard{}, fmt.Errorf("%q: want i/n, with i from 1 to n", text)
	}
	return Shard{index, of}, nil
}

// ShardFrom returns the shard that a scheduler asks for by its environment: a Slurm array by
// SLURM_ARRAY_TASK_ID, _MIN and _COUNT, or an Indexed Job of Kubernetes by JOB_COMPLETION_INDEX
// and, as Kubernetes does not tell how many there are, JOB_COMPLETIONS, which the Job has to set.
// Without either it is Whole. lookup is os.LookupEnv.
func ShardFrom(lookup func(string) (string, bool)) (Shard, error) {
	for _, s := range []struct {
		index, first, count string
	}{
		{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT"},
		{"JOB_COMPLETION_INDEX", "", "JOB_COMPLETIONS"},
	} {
		if _, ok := lookup(s.index); ok {
			return shardOf(lookup, s.index, s.first, s.count)
		}
	}
	return Whole, nil
}

// shardOf reads a shard from the variables of these names; without a first, numbers begin at 0.
func shardOf(lookup func(string) (string, bool), index, first, count string) (Shard, error) {
	number := func(name string) (int, error) {
		text, ok := lookup(name)
		if !ok {
			return 0, fmt.Errorf("%s is set, but %s is not: give --shard i/n", index, name)
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("%s=%q: want a number", name, text)
		}
		return n, nil
	}
	i, err := number(index)
	if err != nil {
		return Shard{}, err
	}
	from := 0
	if first != "" {
		if from, err = number(first); err != nil {
			return Shard{}, err
		}
	}
	of, err := number(count)
	if err != nil {
		return Shard{}, err
	}
	s := Shard{i - from + 1, of}
	if s.Index < 1 || s.Index > s.Of {
		return s, fmt.Errorf("%s=%d is not one of %s=%d that begin at %d; an array with gaps needs --shard",
			index, i, count, of, from)
	}
	return s, nil
}

// Takes reports whether the shard has a part.
func (s Shard) Takes(part int) bool { return part%s.Of == s.Index-1 }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }
