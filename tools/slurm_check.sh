#!/usr/bin/env bash
# slurm_check.sh PROGRAM [RUNS]: a campaign on a real cluster of one node. Starts munge, slurmctld and slurmd (Debian: slurm-wlm, munge) in a folder of
# its own, as root; submits a campaign as an array of eight parts, kills one of them with SIGKILL in the middle, submits it again,
# and compares the merged runs and answers with those of one undisturbed run, byte for byte.
set -euo pipefail
program=$(readlink -f "${1:?the armature program}")
runs=${2:-1600}
root=$(dirname "$(dirname "$(readlink -f "$0")")")
for tool in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v $tool >/dev/null || { echo "slurm_check: $tool is missing: apt install slurm-wlm munge" >&2; exit 1; }
done
export PATH=$PATH:/usr/sbin
work=$(mktemp -d /var/tmp/armature-slurm.XXXXXX)
daemons=()
trap '[ ${#daemons[@]} -eq 0 ] || kill "${daemons[@]}" 2>/dev/null || true; wait; rm -rf "$work"' EXIT

mkdir -p "$work"/{state,spool,munge}
chmod 700 "$work/munge"
head -c 1024 /dev/urandom >"$work/munge/key" && chmod 400 "$work/munge/key"
host=$(hostname -s)
cat >"$work/slurm.conf" <<TEXT
ClusterName=check
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=26817
SlurmdPort=26818
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
TEXT
export SLURM_CONF=$work/slurm.conf
munged --foreground --force --num-threads=2 --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" \
  --log-file="$work/munge/log" --seed-file="$work/munge/seed" 2>"$work/munge/errors" & daemons+=($!)
for _ in $(seq 100); do [ -S "$work/munge/socket" ] && break; sleep 0.1; done
slurmctld -D >"$work/slurmctld.out" 2>&1 & daemons+=($!)
slurmd -D -N "$host" >"$work/slurmd.out" 2>&1 & daemons+=($!)
for _ in $(seq 200); do sinfo -h -o %t 2>/dev/null | grep -q idle && break; sleep 0.2; done
sinfo -h -o "%n %t" | grep -q idle || { echo "slurm_check: the node does not come up" >&2; tail -5 "$work"/*.log "$work"/munge/errors >&2; exit 1; }

campaign=$root/campaigns/rrr_payload.yaml
"$program" campaign "$campaign" -o "$work/one" --runs "$runs" >/dev/null
submit() { "$program" campaign "$campaign" -o "$work/parts" --runs "$runs" --slurm 8; }
drained() { # until nothing runs or may still run
  for _ in $(seq 3000); do [ -z "$(squeue -h -t running,completing,configuring -o %i)$(squeue -h -t pending -o %r | grep -v Dependency || true)" ] && return; sleep 0.2; done
  echo "slurm_check: the queue does not drain" >&2; exit 1
}
submit
victim=
for _ in $(seq 500); do # the process of a part that has begun to write
  for folder in "$work"/parts/shard-*-of-8; do
    table=$folder/runs.npy
    [ -f "$table" ] && [ "$(stat -c %s "$table")" -gt 6000 ] || continue
    part=$(basename "$folder"); k=${part#shard-}; k=${k%-of-8}
    for process in /proc/[0-9]*; do
      line=$({ tr '\0' ' ' <"$process/cmdline"; } 2>/dev/null || true)
      [[ $line == "$program campaign"*"-o $work/parts "*"--shard $k/8"* ]] && victim=${process#/proc/} && break 3
    done
  done
  sleep 0.02
done
[ -n "$victim" ] || { echo "slurm_check: no part could be met in the middle: more runs" >&2; exit 1; }
kill -KILL "$victim"
echo "  part $k killed with $(stat -c %s "$work/parts/shard-$k-of-8/runs.npy") bytes written"
drained
[ ! -e "$work/parts/runs.npy" ] || { echo "slurm_check: parts were merged though one was killed" >&2; exit 1; }
scancel --state=pending --user=root
submit
for _ in $(seq 600); do [ -e "$work/parts/answers.json" ] && break; sleep 0.2; done
cmp "$work/one/runs.npy" "$work/parts/runs.npy"
cmp "$work/one/answers.json" "$work/parts/answers.json"
echo "  $runs runs in 8 parts on $(sinfo --version | head -1), one killed and made again: the same bytes as one run"
