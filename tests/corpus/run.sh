#!/usr/bin/env bash
# Runs the corpus under the launcher $RUN (unset = natively): a line each, then 'N passed, N failed'.
# usage: RUN="heddle run --policy random --seed 7 --" run.sh WORKDIR [NAME...]      (LIMIT = seconds for one program)
set -uo pipefail
here=$(dirname "$(readlink -f "$0")")
[ $# -gt 0 ] || { sed -n 2,3p "$0" >&2; exit 2; }
work=$1
shift
wanted=" $* "
[ -d "$work/in" ] || python3 "$here/fixtures.py" "$work" || exit 2
cd "$work" || exit 2
mkdir -p logs  # not beside the programs: one that lists its directory would see them
export RUN=${RUN:-} PORT
export LC_ALL=C.UTF-8

# A port with the nine above it free: several of these may run on one machine.
free_port() {
  python3 -c '
import random, socket
while True:
    first = random.randrange(10000, 30000)
    try:
        for port in range(first, first + 10):
            with socket.socket() as s:
                s.bind(("127.0.0.1", port))
    except OSError:
        continue
    print(first)
    break'
}

passed=0
failed=0
while IFS=$'\t' read -r name part _ command _; do
  case $name in '' | '#'*) continue ;; esac
  [ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || continue
  rm -rf out && mkdir out
  case $part in server | own) PORT=$(free_port) ;; esac
  started=$(date +%s%3N)
  # stdin is not the list of programs. pipefail: a launcher that dies inside a pipe is a failure too.
  # In a session of its own: what it leaves running is ended by that, however it was started.
  setsid --wait timeout -k 5 "${LIMIT:-120}" bash -o pipefail -c "echo \$PPID >logs/session; . '$here/servers.sh'; $command" </dev/null >"logs/$name.log" 2>&1
  code=$?
  for _ in $(seq 50); do pgrep -s "$(cat logs/session)" >/dev/null && sleep 0.1 || break; done
  pkill -KILL -s "$(cat logs/session)" && { echo "something was left running"; [ $code != 0 ] || code=95; } >>"logs/$name.log"
  elapsed=$(($(date +%s%3N) - started))
  if [ $code = 0 ]; then
    passed=$((passed + 1))
    printf '%-10s %7d ms  ok\n' "$name" $elapsed
  else
    failed=$((failed + 1))
    printf '%-10s %7d ms  FAILED (exit code %d, see %s)\n' "$name" $elapsed $code "$PWD/logs/$name.log"
  fi
done <"$here/corpus.tsv"
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed -gt 0 ]
