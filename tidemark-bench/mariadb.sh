#!/bin/sh
# What a bitemporal table of MariaDB takes in: system versioning and an application-time period, events applied one by
# one with UPDATE … FOR PORTION OF, in the order of system time, which is the only order it can take. Needs the programs
# mariadb-install-db, mariadbd and mariadb (Debian: mariadb-server-core, mariadb-client-core); listens on no port.
# Usage: mariadb.sh [EVENTS]
set -eu
events=${1:-200000}
for program in mariadb-install-db mariadbd mariadb; do
  command -v "$program" >/dev/null || { echo "mariadb.sh: no $program on the PATH" >&2; exit 2; }
done
folder=$(mktemp -d)
chmod 755 "$folder"
server=
end() {
  if [ -n "$server" ]; then
    kill "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :
  fi
  rm -rf "$folder"
}
trap end EXIT INT TERM
mariadb-install-db --no-defaults --datadir="$folder/data" --auth-root-authentication-method=normal --skip-test-db \
  --user="$(id -un)" >"$folder/log" 2>&1
mariadbd --no-defaults --user="$(id -un)" --datadir="$folder/data" --socket="$folder/socket" --skip-networking \
  --innodb-buffer-pool-size=4G --innodb-flush-log-at-trx-commit=2 >>"$folder/log" 2>&1 &
server=$!
ask() { mariadb --no-defaults --user=root --socket="$folder/socket" "$@"; }
tries=0
until ask -e 'SELECT 1' >/dev/null 2>&1; do
  tries=$((tries + 1))
  if [ "$tries" -gt 120 ]; then cat "$folder/log" >&2; exit 1; fi
  sleep 0.5
done
ask -e "CREATE DATABASE bench; USE bench; CREATE TABLE target (id BIGINT, name VARCHAR(80), starts DATETIME,
  ends DATETIME, PERIOD FOR valid (starts, ends), PRIMARY KEY (id, valid WITHOUT OVERLAPS)) WITH SYSTEM VERSIONING"
# A fifth as many keys as events; the state of the generator is a linear congruence, so that every run has the same.
awk -v n="$events" 'BEGIN {
  state = 42; print "USE bench; SET autocommit = 0;"
  for (i = 1; i <= n; i++) {
    state = (state * 16807) % 2147483647; key = state % int(n / 5)
    state = (state * 16807) % 2147483647
    day = sprintf("20%02d-%02d-%02d", 10 + state % 15, 1 + int(state / 15) % 12, 1 + int(state / 180) % 28)
    if (key in seen) {
      printf "UPDATE target FOR PORTION OF valid FROM \047%s\047 TO \0472038-01-01\047 SET name = \047v%d\047 WHERE id = %d;\n", day, i, key
    } else {
      seen[key] = 1; printf "INSERT INTO target VALUES (%d, \047v%d\047, \047%s\047, \0472038-01-01\047);\n", key, i, day
    }
    if (i % 1000 == 0) print "COMMIT;"
  }
  print "COMMIT;"
}' >"$folder/events.sql"
begin=$(date +%s.%N)
ask <"$folder/events.sql"
finish=$(date +%s.%N)
versions=$(ask -N -e "SELECT count(*) FROM bench.target FOR SYSTEM_TIME ALL")
cpu=$(awk -v hertz="$(getconf CLK_TCK)" '{print ($14 + $15) / hertz}' "/proc/$server/stat")
awk -v n="$events" -v b="$begin" -v e="$finish" -v v="$versions" -v c="$cpu" 'BEGIN {
  printf "%d events, %d versions: %.1f s wall, %.1f s CPU of the server, %.0f events per second\n", n, v, e - b, c, n / (e - b) }'
