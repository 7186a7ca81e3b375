# A PostgreSQL server for the documents, at the address that a document names. It lets everybody in,
# and ends with the test, however that ends.
#
#   sh postgres.sh 127.0.0.1:PORT
set -eu
port=${1##*:}
script=$(dirname "$0")/../../../testkit/sh/postgres.sh
# Our parent is the shell of the document, whose parent is `timeout`, whose parent is the test.
timeout_process=$(cut -d ' ' -f 4 "/proc/$PPID/stat")
test_process=$(cut -d ' ' -f 4 "/proc/$timeout_process/stat")
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
folder=$(mktemp -d)
as=
if test "$(id -u)" = 0; then
    chown 65534:65534 "$folder"
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
fi
$as sh -c 'printf secret >"$1/password"' - "$folder"
mkfifo "$HOME/commands"
(
    # The script ends with its input.
    while kill -0 "$test_process" 2>/dev/null && test -d "$HOME"; do sleep 0.2; done >"$HOME/commands" &
    cd /
    exec $as sh "$script" "$bin" "$folder" "$port" 'fsync = off' <"$HOME/commands" >/dev/null 2>&1
) >/dev/null 2>&1 &
printf 'init\nstart\n' >"$HOME/commands"
tries=0
until "$bin/pg_isready" --quiet --host=127.0.0.1 --port="$port"; do
    tries=$((tries + 1))
    test "$tries" -lt 300 || { echo "PostgreSQL does not start"; exit 1; }
    sleep 0.1
done
PGPASSWORD=secret "$bin/psql" --quiet --host=127.0.0.1 --port="$port" --username=ghost \
    --dbname=postgres --command='create database ghosthand'
$as sed -i 's/scram-sha-256/trust/' "$folder/data/pg_hba.conf"
PGPASSWORD=secret "$bin/psql" --quiet --host=127.0.0.1 --port="$port" --username=ghost \
    --dbname=postgres --tuples-only --command='select pg_reload_conf()' >/dev/null
