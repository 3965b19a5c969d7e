#!/usr/bin/env bash
# Runs a command in a Slurm of its own: slurm.sh COMMAND [ARGUMENT…], such as slurm.sh bash to try
# sbatch by hand. slurm.sh -installed says by its exit status whether what it needs is there: munged,
# slurmctld, slurmd and Slurm's commands, but neither systemd nor control groups, so that it works in
# a container.
#
# The Slurm has one node, this machine, which says that it has 16 processors. The daemons run as the
# user who calls, with a key, ports and a folder of their own, so a Slurm that the machine has anyway
# is left alone. Afterwards the daemons, the jobs and the folder are gone. The exit status is that of
# the command.
set -euo pipefail

PATH=$PATH:/usr/sbin:/sbin
if [ "$1" = -installed ]; then
	for program in munged munge slurmctld slurmd sbatch; do command -v "$program" >/dev/null || exit 1; done
	exit 0
fi

here=$(mktemp -d "${TMPDIR:-/tmp}/diptych-slurm.XXXXXX")
daemons=()

chmod 755 "$here" # munged wants everyone to reach its socket
mkdir "$here/state" "$here/spool" "$here/jobs" # the command runs in the last

# What a shell inside of another job, or a user's profile, says about jobs is not for these.
for name in $(compgen -e | grep -E '^(SLURM|SBATCH|SCANCEL|SQUEUE|SINFO)_'); do unset "$name"; done
export SLURM_CONF=$here/slurm.conf

# fail tells what went wrong; stop shows what the daemons say about it.
fail() {
	printf 'slurm.sh: %s\n' "$1" >&2
	exit 1
}

# show_logs prints the last lines of the daemons: what they logged, or, of one that did not get that
# far, what it printed.
show_logs() {
	local name
	for name in munged slurmctld slurmd; do
		printf -- '--- %s ---\n' "$name"
		if [ -s "$here/$name.log" ]; then tail -n 30 "$here/$name.log"; else cat "$here/$name.err" || true; fi
	done
}

# started lists the processes that have this Slurm's configuration in their environment: its daemons,
# and jobs, which are nobody's children once a daemon has died.
started() (
	conf=$SLURM_CONF
	unset SLURM_CONF # or grep finds itself
	grep -lszFx "SLURM_CONF=$conf" /proc/[0-9]*/environ | sed -E 's|/proc/([0-9]+)/.*|\1|' || true
)

nothing_runs() { [ -z "$(started)" ]; }

# stop ends the jobs first: they outlive the daemon that started them.
stop() {
	local status=$? pid
	trap '' INT TERM
	trap - EXIT
	if [ "$status" != 0 ]; then
		printf 'slurm.sh: exit status %s\n' "$status" >&2
		show_logs >&2
	fi
	scancel --quiet --user="$(id -un)" 2>/dev/null || true
	for pid in ${daemons[@]+"${daemons[@]}"}; do kill "$pid" 2>/dev/null || true; done
	until_true 10 nothing_runs || true
	for pid in $(started); do kill -KILL "$pid" 2>/dev/null || true; done
	wait 2>/dev/null
	rm -rf "$here"
	exit "$status"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# free_port prints a port that nobody listens on, below those that systems give to clients.
free_port() {
	local port
	while port=$((20000 + RANDOM % 12000)); do
		(exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
	done
	echo "$port"
}

# until_true SECONDS COMMAND… repeats a command until it succeeds; it fails if it takes too long.
until_true() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

start_munge() {
	(umask 077 && head -c 128 /dev/urandom >"$here/key")
	munged --foreground --key-file="$here/key" --socket="$here/socket" \
		--pid-file="$here/munged.pid" --seed-file="$here/seed" --log-file="$here/munged.log" \
		>"$here/munged.err" 2>&1 &
	daemons+=($!)
	until_true 20 munge --socket="$here/socket" --no-input || fail "munged does not answer"
}

# configure writes slurm.conf. cred_expire is also how many seconds a requeued job waits, normally two
# minutes; config_overrides lets the node say more than the machine has.
configure() {
	local host user
	host=$(hostname -s)
	user=$(id -un)
	cat >"$SLURM_CONF" <<CONF
ClusterName=diptych
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$here/socket,cred_expire=5
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/slurmctld.pid
SlurmdPidFile=$here/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
JobRequeue=1
MaxArraySize=1001
KillWait=2
SlurmdTimeout=600
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 CPUs=16 RealMemory=65536
PartitionName=all Nodes=one Default=YES
CONF
}

node_is_idle() { [ "$(sinfo --noheader --format=%T)" = idle ]; }

start_slurm() {
	slurmctld -D -c >"$here/slurmctld.err" 2>&1 &
	daemons+=($!)
	slurmd -D -N one >"$here/slurmd.err" 2>&1 &
	daemons+=($!)
	until_true 40 node_is_idle || fail "the node did not become idle"
}

start_munge
configure
start_slurm
cd "$here/jobs"
"$@"
