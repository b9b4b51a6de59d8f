#!/bin/sh
# check-root.sh [--privileged] TARGET_DIR: checks that a root filesystem has the properties promised in docs/security.md,
# and the time zones that the API promises (device.timezone).
# Prints the violations and exits with 1. With --privileged it only lists the files with setuid or setgid bits or
# capabilities that setuid.allow does not name, one path per line. Must run as root or under fakeroot, after users and
# presets are set up, because only then the final modes are visible: see seal-root.sh.
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

# refuse WHAT: reports every line of standard input as a violation of this kind.
refuse() {
    while IFS= read -r line; do
        printf 'check-root: %s: %s\n' "$1" "$line"
    done >>"$work/report"
}
# from_root: converts paths printed by find to absolute paths on the device.
from_root() {
    sed 's,^\.,,'
}

# Files with setuid or setgid bits or with capabilities (an extended attribute, which shell tools cannot read).
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

# Passwords. "*" and "!" lock the user; "x" in passwd refers to shadow. Empty means login without a password.
for file in etc/passwd etc/shadow; do
    # A missing file is treated as empty: then passwd must lock the users itself, and a missing passwd is reported below.
    [ -f "$file" ] || : >"$work/$(basename "$file")"
    [ ! -f "$file" ] || cp "$file" "$work/$(basename "$file")"
done
[ -s "$work/passwd" ] || echo /etc/passwd | refuse 'missing or empty'
awk -F: '$2 != "x" && $2 !~ /^[*!]/ { print $1 " in /etc/passwd" }' "$work/passwd" | refuse 'password not locked'
awk -F: '$2 !~ /^[*!]/ { print $1 " in /etc/shadow" }' "$work/shadow" | refuse 'password not locked'
awk -F: 'FILENAME ~ /shadow$/ { there[$1] = 1; next } $2 == "x" && !there[$1] { print $1 }' \
    "$work/shadow" "$work/passwd" | refuse 'password missing in /etc/shadow, to which /etc/passwd refers'
awk -F: '$3 == 0 && $1 != "root" { print $1 }' "$work/passwd" | refuse 'another user with the rights of root'

# Remote logins.
find . -xdev -path '*bin/*' \( -name sshd -o -name sshd-session -o -name dropbear -o -name dropbearmulti \
    -o -name tinysshd -o -name telnetd -o -name in.telnetd -o -name rlogind -o -name in.rlogind -o -name rshd \
    -o -name in.rshd -o -name ftpd -o -name vsftpd \) | from_root | refuse 'a server for remote logins'
find . -xdev \( -name 'ssh_host_*' -o -name authorized_keys \) | from_root | refuse 'a key of a remote login'

# Logins on a console: no enabled getty, no generator that creates a getty for each console, no getty that logind starts
# when the terminal is switched, no root shell.
units=usr/lib/systemd
[ -d "$units" ] || units=lib/systemd
# masked NAME: succeeds if a unit or its template is a link to /dev/null in /etc.
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

# World-writable files. World-writable folders need the sticky bit. Links and devices are not checked.
find . -xdev -type f -perm -0002 | from_root | refuse 'anybody may write'
find . -xdev -type d -perm -0002 ! -perm -1000 | from_root | refuse 'anybody may write, and no sticky bit'

# Secrets, and files that must differ between devices.
grep -rlI -e '^-----BEGIN .*PRIVATE KEY-----' . 2>"$work/unread" | from_root | refuse 'a private key'
grep -h 'ermission denied' "$work/unread" | refuse 'could not be read' || true
if [ -s etc/machine-id ] && ! grep -qx uninitialized etc/machine-id; then
    echo /etc/machine-id | refuse 'not empty'
fi
for file in var/lib/systemd/random-seed var/lib/systemd/credential.secret; do
    [ ! -e "$file" ] || echo "/$file"
done | refuse 'belongs to one device'

# Browsers report these names, which the time zone database has replaced; the configuration accepts what is here.
for zone in UTC Africa/Asmera America/Buenos_Aires America/Catamarca America/Cordoba America/Godthab \
    America/Indianapolis America/Jujuy America/Louisville America/Mendoza Asia/Calcutta Asia/Katmandu Asia/Rangoon \
    Asia/Saigon Atlantic/Faeroe Europe/Kiev Pacific/Enderbury Pacific/Ponape Pacific/Truk; do
    [ -f "usr/share/zoneinfo/$zone" ] || echo "$zone"
done | refuse 'no data for the time zone'

[ ! -s "$work/report" ] || {
    cat "$work/report" >&2
    exit 1
}
