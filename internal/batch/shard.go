package batch

import (
	"cmp"
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
// SLURM_ARRAY_TASK_ID, _MIN, _MAX, _STEP and _COUNT, or an Indexed Job of Kubernetes by
// JOB_COMPLETION_INDEX and, as Kubernetes does not tell how many there are, JOB_COMPLETIONS, which
// the Job has to set. Without either it is Whole. lookup is os.LookupEnv.
func ShardFrom(lookup func(string) (string, bool)) (Shard, error) {
	for _, n := range []numbering{
		{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT",
			"SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_MAX", "SLURM_ARRAY_TASK_STEP"},
		{index: "JOB_COMPLETION_INDEX", count: "JOB_COMPLETIONS"},
	} {
		if _, ok := lookup(n.index); ok {
			return n.shard(lookup)
		}
	}
	return Whole, nil
}

// numbering are the variables by which a scheduler numbers processes. Without first, last and step
// the numbers begin at 0 and none is left out.
type numbering struct{ index, count, first, last, step string }

// shard reads a shard. Arrays have gaps if somebody lists tasks, as in --array=1,3,7. Slurm tells
// their ends and how many they are, not which, so no task can know its place among them.
func (n numbering) shard(lookup func(string) (string, bool)) (Shard, error) {
	number := func(name string) (int, error) {
		text, ok := lookup(name)
		if !ok {
			return 0, fmt.Errorf("%s is set, but %s is not: give --shard i/n", n.index, name)
		}
		value, err := strconv.Atoi(text)
		if err != nil {
			return 0, fmt.Errorf("%s=%q: want a number", name, text)
		}
		return value, nil
	}
	orElse := func(name string, without int) (int, error) {
		if _, ok := lookup(name); !ok {
			return without, nil
		}
		return number(name)
	}
	index, err1 := number(n.index)
	count, err2 := number(n.count)
	first, err3 := orElse(n.first, 0)
	step, err4 := orElse(n.step, 1)
	step = max(step, 1)
	last, err5 := orElse(n.last, first+(count-1)*step)
	if err := cmp.Or(err1, err2, err3, err4, err5); err != nil {
		return Shard{}, err
	}
	if last-first != (count-1)*step || index < first || index > last || (index-first)%step != 0 {
		return Shard{}, fmt.Errorf("%s=%d is of %d tasks from %d to %d: an array with gaps needs --shard i/n",
			n.index, index, count, first, last)
	}
	return Shard{(index-first)/step + 1, count}, nil
}

// Takes reports whether the shard has a part.
func (s Shard) Takes(part int) bool { return part%s.Of == s.Index-1 }

func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }
