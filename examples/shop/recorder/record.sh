#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Starts a throw-away PostgreSQL on the loopback interface, records the shop's feed from it, stops and deletes it.
#
#   record.sh [TARGET]     TARGET: folder for feed/, expected/ and counts.csv (default: the example's folder)
#
# Environment:
#   PG_BIN   folder of initdb and pg_ctl (default: the newest version of the Debian package)
#   PG_PORT  a free port (default: one is looked for)
#   PG_USER  when run as root: the unprivileged user that runs the server (default: postgres)
#   SEED     seed of the workload (default: the recorder's own)
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$(dirname "$here")}
pg_bin=${PG_BIN:-$(find /usr/lib/postgresql -mindepth 2 -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)}
pg_user=${PG_USER:-postgres}
[ -x "$pg_bin/initdb" ] || { echo "no initdb found; set PG_BIN" >&2; exit 1; }

work=$(mktemp -d)
as_server=()
if [ "$(id -u)" = 0 ]; then
  as_server=(setpriv "--reuid=$pg_user" "--regid=$(id -g "$pg_user")" --clear-groups env "HOME=$work")
  chown "$pg_user" "$work"
fi
server() { (cd "$work" && "${as_server[@]}" "$@"); }

started=no
finish() {
  if [ "$started" = yes ]; then server "$pg_bin/pg_ctl" -s -m immediate -D "$work/data" stop || true; fi
  rm -rf "$work"
}
trap finish EXIT

port=${PG_PORT:-}
while [ -z "$port" ]; do
  candidate=$((20000 + RANDOM % 10000))
  if ! (exec 3<>"/dev/tcp/127.0.0.1/$candidate") 2>/dev/null; then port=$candidate; fi
done

(cd "$here" && mvn -q -B package)

server "$pg_bin/initdb" -D "$work/data" -U postgres -A trust -E UTF8 --locale=C.UTF-8 --no-sync >"$work/initdb.log"
cat >>"$work/data/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $port
unix_socket_directories = '$work'
wal_level = logical
max_wal_senders = 4
max_replication_slots = 4
fsync = off
autovacuum = off
timezone = 'UTC'
CONF
server "$pg_bin/pg_ctl" -s -w -D "$work/data" -l "$work/server.log" start
started=yes
server "$pg_bin/createdb" -h 127.0.0.1 -p "$port" -U postgres shop

mkdir -p "$work/out" "$work/engine"
options=(--data "$work/out" --work "$work/engine" --port "$port" --database shop --user postgres)
if [ -n "${SEED:-}" ]; then options+=(--seed "$SEED"); fi
run() { java -Xmx1g -cp "$here/target/classes:$here/target/lib/*" io.tidemark.examples.shop.Main "$@"; }
run record "${options[@]}"
run verify --data "$work/out"

mkdir -p "$target"
rm -rf "$target/feed" "$target/expected"
cp -R "$work/out/feed" "$work/out/expected" "$work/out/counts.csv" "$target/"
du -sk "$target/feed" "$target/expected"
