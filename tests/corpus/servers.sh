# For the rows of corpus.tsv that are servers: one is started under the launcher, real clients ask it over loopback, and it is told to end.
# PORT is free when a row begins; `spare N` is a port beside it.
spare() { echo $((PORT + $1)); }

# until_open PORT PROCESS: somebody listens there, or the process has ended.
until_open() {
  local tries
  for tries in $(seq 600); do
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null && return 0
    kill -0 "$2" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

# serving [-s SIGNAL] [-c CODE] PORT SERVER CLIENT: the client's exit code, once the server has ended by the signal, with CODE (any: with any code).
# A server that does not end within 30 s, or dies by itself, is a failure.
serving() {
  local signal=TERM wanted=0 server code=0 tries
  while [ "${1#-}" != "$1" ]; do
    case $1 in -s) signal=$2 ;; -c) wanted=$2 ;; esac
    shift 2
  done
  eval "exec $RUN $2" &
  server=$!
  if until_open "$1" $server; then
    eval "$3" || code=$?
  else
    echo "the server does not listen" >&2
    code=99
  fi
  kill -0 $server 2>/dev/null || { echo "the server has died" >&2; code=98; }
  kill -"$signal" $server 2>/dev/null
  for tries in $(seq 300); do
    kill -0 $server 2>/dev/null || break
    sleep 0.1
  done
  kill -0 $server 2>/dev/null && { echo "the server does not end" >&2; code=97; }
  kill -KILL $server 2>/dev/null
  wait $server 2>/dev/null
  local ended=$?
  [ "$wanted" = any ] || [ $ended = "$wanted" ] || { echo "the server ended with $ended, not $wanted" >&2; [ $code != 0 ] || code=96; }
  return $code
}

# same URL... : each gives the words that in/page.txt has.
same() {
  local url
  for url in "$@"; do curl -s --max-time 60 "$url" | cmp - in/page.txt || return 1; done
}

# answered NAME ADDRESS: the name server at PORT says so, once it has read its zone.
answered() {
  local tries
  for tries in $(seq 50); do
    [ "$(dig +short +tries=1 +time=20 @127.0.0.1 -p "$PORT" "$1")" = "$2" ] && return 0
    sleep 0.2
  done
  return 1
}
