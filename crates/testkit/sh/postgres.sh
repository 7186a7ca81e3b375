# Runs a PostgreSQL server for a test, and removes it when its input ends: at the end of the test,
# however that came about.
#
#   sh postgres.sh BIN FOLDER PORT [SETTING=VALUE]...
#
# Reads commands, one per line, and answers each with a line: `start`, `stop` (orderly),
# `crash` (kill -9 of all its processes), `freeze` and `thaw`.
set -u
bin=$1 folder=$2 port=$3
shift 3
data=$folder/data
server=

if test ! -e "$data"; then
    "$bin/initdb" --pgdata="$data" --username=ghost --pwfile="$folder/password" --encoding=UTF8 \
        --locale=C --auth-local=trust --auth-host=scram-sha-256 --no-sync \
        >"$folder/initdb.log" 2>&1 || { echo "initdb failed, see $folder/initdb.log"; exit 1; }
    {
        echo "listen_addresses = '127.0.0.1'"
        echo "port = $port"
        echo "unix_socket_directories = '$folder'"
        echo "shared_buffers = 16MB"
        echo "max_connections = 60"
        for setting; do echo "$setting"; done
    } >>"$data/postgresql.conf"
fi

processes() { # the server and its children
    echo "$server" "$(cat "/proc/$server/task/$server/children" 2>/dev/null)"
}

start() {
    rm -f "$data/postmaster.pid"
    "$bin/postgres" -D "$data" </dev/null >>"$folder/log" 2>&1 &
    server=$!
    tries=0
    until grep -q '^ready' "$data/postmaster.pid" 2>/dev/null; do
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

while read -r command; do
    case $command in
    start) start ;;
    stop) kill -s INT "$server"; wait; server=; echo stopped ;;
    crash) end KILL; echo crashed ;;
    freeze) kill -s STOP $(processes); echo frozen ;;
    thaw) kill -s CONT $(processes); echo thawed ;;
    esac
done
end KILL
rm -rf "$folder/data" "$folder/log" "$folder/initdb.log" "$folder/password" "$folder"/.s.*
rmdir "$folder" 2>/dev/null || true
