#!/usr/bin/env bash
# Tests diptych batch in a real Slurm: test.sh DIPTYCH, inside of slurm.sh. An array of 8 tasks
# compares 64 pairs by batch.sbatch, the script that users copy. Two tasks are stopped when they have
# made three of their eight parts: one is killed, as by a machine that is out of memory, and then
# requeued; the other is requeued while it runs, as if it had to make room. In the end all files have
# to be those of a run without Slurm, to the byte.
set -euo pipefail

scripts=$(cd "$(dirname "$0")" && pwd)
diptych=$1
limit=300 # seconds for all; it takes 20 to 50 on a machine that is not overloaded
killed=3 preempted=6 # numbers of tasks, from 1
mkdir bin
ln -s "$diptych" bin/diptych
export PATH=$PWD/bin:$PATH

said() { printf '%3d s  %s\n' "$SECONDS" "$1"; }

# fail tells what is wrong and what the jobs are doing.
fail() {
	printf 'FAIL: %s\n' "$1" >&2
	squeue -r >&2 || true
	printf "%s parts are there\n" "$(find out/parts -mindepth 1 -maxdepth 1 2>/dev/null | wc -l)" >&2
	tail -n 8 ./*.log >&2 || true
	exit 1
}

# wait_for WHAT COMMAND… repeats a command until it succeeds.
wait_for() {
	local what=$1
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$limit" ] || fail "not within $limit s: $what"
		sleep 0.2
	done
}

# make_pairs makes 64 pairs of 8 times 8 generated traces, and pairs.csv. One trace is broken.
make_pairs() {
	local k
	mkdir seeds a b
	for k in 0 1 2 3 4 5 6 7; do
		diptych generate seeds/a$k.json.gz seeds/b$k.json.gz --calls 1000 --functions 100 --threads 2 \
			--seed $k --edit insert:0.01 --edit slow:0.02 >/dev/null
	done
	for k in $(seq 0 63); do
		cp seeds/a$((k % 8)).json.gz "a/rank$k.json.gz"
		cp seeds/b$((k / 8)).json.gz "b/rank$k.json.gz"
	done
	echo 'not a trace' >b/rank63.json.gz
	diptych batch plan --a 'a/*.json.gz' --b 'b/*.json.gz' --by rank -o pairs.csv >/dev/null
}

# has_three_parts reports whether a task has made three of its parts.
has_three_parts() {
	local k part made=0
	for ((k = $1 - 1; k < 64; k += 8)); do
		printf -v part 'out/parts/%05d' $k
		[ ! -d "$part" ] || made=$((made + 1))
	done
	[ $made = 3 ]
}

# A pipe that nobody writes into holds whoever opens it, so a task that meets some from its fourth
# pair on stands still with three parts, however fast the machine is.
hold() {
	local k
	for ((k = $1 - 1 + 3 * 8; k < 64; k += 8)); do
		mv a/rank$k.json.gz held$k
		mkfifo a/rank$k.json.gz
	done
}

release() {
	local k
	for ((k = $1 - 1 + 3 * 8; k < 64; k += 8)); do mv held$k a/rank$k.json.gz; done
}

# ended reports whether a job has ended in the state that it should; in another, the test fails.
ended() {
	local state
	state=$(squeue --noheader --states=all --format=%T --jobs="$1")
	case $state in
	"$2") return 0 ;;
	COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY | BOOT_FAIL)
		fail "job $1 is $state, not $2" ;;
	*) return 1 ;;
	esac
}

# gone reports whether all tasks of a job have ended.
gone() {
	local left
	left=$(squeue --noheader --jobs="$1") && [ -z "$left" ]
}

# processes prints the processes called diptych of a job.
processes() {
	local number
	number=$(squeue --noheader --format=%A --jobs="$1")
	for pid in $(scontrol listpids "$number" | awk 'NR > 1 { print $1 }'); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != diptych ] || echo "$pid"
	done
}

make_pairs
if diptych batch pairs.csv -o local >local.log 2>&1; then fail "the broken pair was not told"; fi
said "64 pairs compared without Slurm"

hold $killed
hold $preempted
cp "$scripts/batch.sbatch" .
tasks=$(sbatch --parsable --array=1-8 batch.sbatch)
merge=$(sbatch --parsable --dependency=afterany:"$tasks" --output=merge.log --wrap='diptych batch merge out')
wait_for "three parts of task $killed" has_three_parts $killed
wait_for "three parts of task $preempted" has_three_parts $preempted
said "tasks $killed and $preempted are in the middle"

processes "${tasks}_$killed" | xargs -r kill -KILL
wait_for "the end of the killed task" ended "${tasks}_$killed" FAILED
has_three_parts $killed || fail "the killed task has other than three parts"
release $killed
scontrol requeue "${tasks}_$killed"
said "task $killed was killed and is requeued"

release $preempted
scontrol requeue "${tasks}_$preempted"
said "task $preempted is requeued while it runs"

stepped=$(sbatch --parsable --array=0-14:2%3 --output=stepped-%a.log --wrap='diptych batch pairs.csv -o stepped')

for task in $killed $preempted; do
	wait_for "the end of task $task" ended "${tasks}_$task" COMPLETED
	grep -Eq '^compared before +3$' "diptych-${tasks}_$task.log" || fail "task $task has not kept its three parts"
	grep -Eq '^compared +5$' "diptych-${tasks}_$task.log" || fail "task $task has not made the five that were missing"
done
wait_for "the end of task 8, which has a broken pair" ended "${tasks}_8" FAILED
said "all tasks are done"
wait_for "the end of the other array" gone "$stepped"
diff -r local/parts stepped/parts >differences || fail "an array with steps makes other parts: $(head -n 5 differences)"
said "an array with steps makes the same parts"
wait_for "the end of the merge" ended "$merge" FAILED
grep -q '1 of 64 pairs could not be compared: 63' merge.log || fail "the merge has not told the broken pair"
said "merged"
if diptych batch merge local >local.log 2>&1; then fail "the broken pair was not told"; fi
diff -r local out >differences || fail "with Slurm the result is another: $(head -n 5 differences)"
said "PASS: with Slurm the result is the same, to the byte: $(find out -type f | wc -l) files"
