# Runs a PostgreSQL server for a test, and removes it when its input ends: at the end of the test,
# however that came about.
#
#   sh postgres.sh BIN FOLDER PORT [SETTING=VALUE]...
#
# Reads commands, one per line, and answers each with a line: `init`, `start`, `stop` (orderly),
# `crash` (kill -9 of all its processes), `freeze`, `thaw`, `standby PORT` (becomes a copy of
# the server there that follows it; `start` comes next), `promote`, `fill` (its disk) and `free`.
set -u
bin=$1 folder=$2 port=$3
shift 3
data=$folder/data
server=

configure() {
    {
        echo "listen_addresses = '127.0.0.1'"
        echo "port = $port"
        echo "unix_socket_directories = '$folder'"
        echo "shared_buffers = 16MB"
        echo "max_connections = 60"
        for setting; do echo "$setting"; done
    } >>"$data/postgresql.conf"
}

init() {
    "$bin/initdb" --pgdata="$data" --username=ghost --pwfile="$folder/password" --encoding=UTF8 \
        --locale=C --auth-local=trust --auth-host=scram-sha-256 --no-sync \
        >"$folder/initdb.log" 2>&1 || { echo "initdb failed, see $folder/initdb.log"; return; }
    configure "$@"
    # A certificate of its own for `localhost`, valid for a day.
    case "$*" in
    *'ssl = on'*)
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 \
            -subj /CN=localhost -addext subjectAltName=DNS:localhost \
            -addext basicConstraints=critical,CA:FALSE \
            -keyout "$data/server.key" -out "$data/server.crt" 2>>"$folder/initdb.log"
        ;;
    esac
    echo initialised
}

standby() { # PORT [SETTING=VALUE]...
    rm -rf "$data"
    PGPASSWORD=$(cat "$folder/password") "$bin/pg_basebackup" --host=127.0.0.1 --port="$1" \
        --username=ghost --pgdata="$data" --write-recovery-conf --wal-method=stream \
        --checkpoint=fast --no-sync >>"$folder/initdb.log" 2>&1 || {
        echo "pg_basebackup failed: $(tail -n 2 "$folder/initdb.log" | tr '\n' ' ')"
        return
    }
    shift
    configure "$@"
    echo copied
}

processes() { # the server and its children
    echo "$server" "$(cat "/proc/$server/task/$server/children" 2>/dev/null)"
}

start() {
    rm -f "$data/postmaster.pid"
    "$bin/postgres" -D "$data" </dev/null >>"$folder/log" 2>&1 &
    server=$!
    tries=0
    until grep -q -e '^ready' -e '^standby' "$data/postmaster.pid" 2>/dev/null; do
        tries=$((tries + 1))
        if test "$tries" -gt 1200 || ! kill -0 "$server" 2>/dev/null; then
            echo "the server does not start: $(tail -n 3 "$folder/log" | tr '\n' ' ')"
            return
        fi
        sleep 0.05
    done
    echo started
}

end() { # SIGNAL
    test -z "$server" || kill -s "$1" $(processes) 2>/dev/null
    wait
    server=
}

while read -r command of; do
    case $command in
    init) init "$@" ;;
    start) start ;;
    stop) kill -s INT "$server"; wait; server=; echo stopped ;;
    crash) end KILL; echo crashed ;;
    freeze) kill -s STOP $(processes); echo frozen ;;
    thaw) kill -s CONT $(processes); echo thawed ;;
    standby) standby "$of" "$@" ;;
    promote)
        if "$bin/pg_ctl" promote --wait --timeout=60 -D "$data" >>"$folder/log" 2>&1; then
            echo promoted
        else
            echo "pg_ctl promote failed: $(tail -n 2 "$folder/log" | tr '\n' ' ')"
        fi
        ;;
    fill) dd if=/dev/zero of="$folder/ballast" bs=64k 2>/dev/null; echo filled ;;
    free) rm -f "$folder/ballast"; echo freed ;;
    esac
done
end KILL
rm -rf "$folder/data" "$folder/log" "$folder/initdb.log" "$folder/password" "$folder"/.s.* \
    "$folder/ballast"
rmdir "$folder" 2>/dev/null || true
