#!/usr/bin/env bash
# Makes a store with a published version of the public tool, for the tests of the upgrade.
#
#   cargo install --root SCRATCH deciduous@1.1.0
#   bash make.sh SCRATCH/bin/deciduous
#
# leaves VERSION.db (the store), VERSION.json (what that version's own `graph` prints) and the attached files beside
# this script. What a version does not know is left out; every command that fails is printed.
set -uo pipefail
tool=$(realpath "$1")
here=$(cd "$(dirname "$0")" && pwd)
version=$("$tool" --version | awk '{print $2}')
work=$(mktemp -d)
cd "$work"
export HOME=$work GIT_AUTHOR_DATE=2025-03-01T10:00:00Z GIT_COMMITTER_DATE=2025-03-01T10:00:00Z
git init -q -b main .
git -c user.name=tester -c user.email=tester@example.org commit -q --allow-empty -m start

# run WORDS...: with the version's own notes thrown away
run() { "$tool" "$@" >/dev/null 2>err </dev/null || printf '%s: not taken: %s\n' "$version" "$*"; }
# try WORDS...: for what not every version has
try() { "$tool" "$@" >/dev/null 2>&1 </dev/null || printf '%s: left out: %s\n' "$version" "$1 $2"; }

run init
run add goal 'Sessions that survive a password change' -c 90
try add goal 'Sign in with a passkey — ohne Passwort, パスキーで' -c 95 -p 'Let me sign in
without a password, and log me out everywhere when I change it. "Really" everywhere; \n is not a newline here.'
run add option 'Server-side cookies'
run add option 'Signed tokens <b>without</b> a store'
run add decision 'Keep sessions on the server'
run add action 'Write the session table'
run add outcome 'All sessions end within a second'
run add observation "It's slow on 'old' phones; 100 % of \"them\""
run add action 'A mistake'
try delete 9
try add action 'Measured the sign-in' -f 'src/auth.rs,docs/größe.md' --commit HEAD -b feature-auth
try add outcome 'An old outcome' --date 2024-05-06
try add observation 'An older one' --date '2023-01-02T03:04:05+02:00'
try add revisit 'Are cookies still right?'
run link 1 3 -r 'revocable at once'
run link 1 4
run link 3 5 -t chosen -r "it's the simplest; it \"just\" works"
run link 4 5 -t rejected -r 'cannot be revoked'
run link 5 6 -t leads_to
run link 6 7 -t enables
run link 7 8
run link 8 6 -t blocks -r 'until measured'
run status 4 rejected
run status 7 completed
run status 1 active
try themes create auth -c '#ff8800' -d 'Who you are'
try themes create speed
try tag add 1 auth
try tag add 5 auth
try tag add 8 speed
printf 'one page\n' > notes.md
printf '\x00\x01\x02 bytes' > 'größe 1.bin'
try doc attach 1 notes.md -d 'The notes'
try doc attach 8 'größe 1.bin'
try doc attach 7 notes.md
try doc detach 3
if "$tool" mcp --help >/dev/null 2>&1; then
    call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"; }
    {
        printf '%s\n' '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"maker","version":"1"}}}'
        printf '%s\n' '{"jsonrpc":"2.0","method":"notifications/initialized"}'
        call 1 start_session '{"name":"auth work","goal_title":"Finish the sign-in","goal_prompt":"finish it"}'
        call 2 add_node '{"node_type":"action","title":"Written in a session"}'
        call 3 end_session '{"summary":"done with it"}'
        call 4 start_session '{"name":"second","goal_title":"Another goal"}'
    } | "$tool" mcp >/dev/null 2>&1 || printf '%s: left out: mcp\n' "$version"
fi
"$tool" graph >"$here/$version.json" 2>/dev/null </dev/null
python3 - "$here/$version.db" <<'P'
import sqlite3, sys
store = sqlite3.connect(".deciduous/deciduous.db")
# What says where it was made.
for name in ("command_log",):
    store.execute(f"DELETE FROM {name}")
store.commit()
copy = sqlite3.connect(sys.argv[1])
store.backup(copy)
copy.execute("PRAGMA journal_mode=" + store.execute("PRAGMA journal_mode").fetchone()[0])
copy.commit()
P
if [ -d .deciduous/documents ]; then cp -r .deciduous/documents/. "$here/documents/"; fi
rm -rf "$work"
