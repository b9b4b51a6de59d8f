#!/bin/sh
# check-root.sh [--privileged] TARGET_DIR: checks what docs/security.md promises of a root filesystem, and exits with 1
# and a list when something is otherwise. With --privileged it lists, one path a line, the programs with privileges of
# their own that setuid.allow does not name, and checks nothing. Modes are seen as they will be only by root or under
# fakeroot, when users and presets are done: see seal-root.sh.
set -eu

COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
only_list=
if [ "$1" = --privileged ]; then
    only_list=1
    shift
fi
cd "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuse WHAT: every line of standard input is one thing that is wrong in this way.
refuse() {
    while IFS= read -r line; do
        printf 'check-root: %s: %s\n' "$1" "$line"
    done >>"$work/report"
}
# from_root: paths of find as they are on the device.
from_root() {
    sed 's,^\.,,'
}

# Files with setuid or setgid bits or with capabilities (an extended attribute, which the shell cannot ask for).
privileged() {
    find . -xdev -type f -perm /6000 | from_root
    python3 - <<'END'
import os
for folder, _, names in os.walk('.'):
    for path in (os.path.join(folder, name) for name in names):
        if os.path.isfile(path) and not os.path.islink(path):
            try:
                if 'security.capability' in os.listxattr(path):
                    print(path[1:])
            except OSError:
                pass  # a file system without extended attributes has no capabilities either
END
}
sed 's/[[:space:]]*#.*//; /^$/d' "$COMMON_DIR/setuid.allow" >"$work/allowed"
privileged >"$work/privileged"
sort -u "$work/privileged" | grep -vxF -f "$work/allowed" >"$work/not-allowed" || true
if [ -n "$only_list" ]; then
    cat "$work/not-allowed"
    exit 0
fi
refuse 'setuid, setgid or capabilities, and not in setuid.allow' <"$work/not-allowed"

# Passwords. "*" and "!" lock; "x" in passwd points to shadow. Empty means none is asked for.
for file in etc/passwd etc/shadow; do
    # Without a shadow file passwd must lock by itself; without passwd there is no root to lock.
    [ -f "$file" ] || : >"$work/$(basename "$file")"
    [ ! -f "$file" ] || cp "$file" "$work/$(basename "$file")"
done
[ -s "$work/passwd" ] || echo /etc/passwd | refuse 'missing or empty'
awk -F: '$2 != "x" && $2 !~ /^[*!]/ { print $1 " in /etc/passwd" }' "$work/passwd" | refuse 'password not locked'
awk -F: '$2 !~ /^[*!]/ { print $1 " in /etc/shadow" }' "$work/shadow" | refuse 'password not locked'
awk -F: 'FILENAME ~ /shadow$/ { there[$1] = 1; next } $2 == "x" && !there[$1] { print $1 }' \
    "$work/shadow" "$work/passwd" | refuse 'password said to be in /etc/shadow, but not there'
awk -F: '$3 == 0 && $1 != "root" { print $1 }' "$work/passwd" | refuse 'another user with the rights of root'

# Remote logins.
find . -xdev -path '*bin/*' \( -name sshd -o -name sshd-session -o -name dropbear -o -name dropbearmulti \
    -o -name tinysshd -o -name telnetd -o -name in.telnetd -o -name rlogind -o -name in.rlogind -o -name rshd \
    -o -name in.rshd -o -name ftpd -o -name vsftpd \) | from_root | refuse 'a server for remote logins'
find . -xdev \( -name 'ssh_host_*' -o -name authorized_keys \) | from_root | refuse 'a key of a remote login'

# Logins on a console: neither a getty that is wanted, nor the generator that makes one for each console, nor the one
# that logind starts when the terminal is switched, nor a root shell.
units=usr/lib/systemd
[ -d "$units" ] || units=lib/systemd
# masked NAME: whether a unit, or the template that it is of, is a link to /dev/null in /etc.
masked() {
    template=$(echo "$1" | sed 's/@.*\.service$/@.service/')
    for unit in "$1" "$template"; do
        [ "$(readlink "etc/systemd/system/$unit" || true)" != /dev/null ] || return 0
    done
    return 1
}
find . -xdev -path '*/systemd/system/*.wants/*' \( -name '*getty*.service' -o -name 'autovt@*.service' \
    -o -name debug-shell.service \) | from_root | while read -r path; do
    masked "$(basename "$path")" || echo "$path"
done | refuse 'a login or shell on a console'
if [ -e "$units/system-generators/systemd-getty-generator" ] &&
    [ "$(readlink etc/systemd/system-generators/systemd-getty-generator || true)" != /dev/null ]; then
    echo systemd-getty-generator | refuse 'not masked, and gives every console a login'
fi
if [ -e "$units/system/autovt@.service" ] || [ -e "$units/system/getty@.service" ]; then
    masked autovt@.service || echo autovt@.service | refuse 'not masked, and logind starts it'
fi
for folder in etc/systemd "$units"; do
    [ ! -d "$folder" ] || grep -rlE '^[^#]*SYSTEMD_SULOGIN_FORCE=[1ty]' "$folder" | sed 's,^,/,'
done | refuse 'lets a broken start end in a root shell'

# Files that anybody may change. Folders may be so with the sticky bit; links and devices always look so.
find . -xdev -type f -perm -0002 | from_root | refuse 'anybody may write'
find . -xdev -type d -perm -0002 ! -perm -1000 | from_root | refuse 'anybody may write, and no sticky bit'

# Secrets, and what differs from device to device.
grep -rlI -e '^-----BEGIN .*PRIVATE KEY-----' . 2>"$work/unread" | from_root | refuse 'a private key'
grep -h 'ermission denied' "$work/unread" | refuse 'could not be read' || true
if [ -s etc/machine-id ] && ! grep -qx uninitialized etc/machine-id; then
    echo /etc/machine-id | refuse 'not empty'
fi
for file in var/lib/systemd/random-seed var/lib/systemd/credential.secret; do
    [ ! -e "$file" ] || echo "/$file"
done | refuse 'belongs to one device'

[ ! -s "$work/report" ] || {
    cat "$work/report" >&2
    exit 1
}
