/**
 * Runs a command and ends it as soon as standard input closes, which the kernel does for a parent of whatever end,
 * kill -9 included. `read` is the shell's own, so the guard leaves nothing behind that could outlive it. The shell itself
 * says nothing: a word such as "Terminated" to a parent that is gone would end it before it has ended its helper.
 */
export const GUARD = `exec 3<&0
"$@" </dev/null 3<&- &
child=$!
exec >/dev/null 2>&1
( read -r _ <&3; kill "$child" 2>/dev/null; sleep 2; kill -9 "$child" 2>/dev/null ) &
guard=$!
wait "$child"
status=$?
kill "$guard" 2>/dev/null
exit "$status"`
