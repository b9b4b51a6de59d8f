#!/bin/sh
# finish.sh ROOT: the final steps that Buildroot would do, for the root filesystem built from packages: users by sysusers,
# units enabled by the presets, indexes and caches. Runs inside the builder root.
set -eu

root=$1

# For reproducible images no timestamp is later than the epoch. The font cache contains the times of the fonts' folders.
clamp() { find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }
clamp
rm -rf "$root/usr/lib/fontconfig/cache"
mkdir -p "$root/usr/lib/fontconfig/cache"
# It sleeps for two seconds at its end.
fc-cache --sysroot="$root" --system-only --really-force &
fonts=$!

# The builder root has the same version of systemd. Masked units, which are links to /dev/null, stay masked.
systemd-sysusers --root="$root"
systemctl --root="$root" --preset-mode=full preset-all 2>&1 | grep -v -e '^Created symlink' -e '^Removed' >&2 || true
systemctl --root="$root" set-default multi-user.target >/dev/null 2>&1
ldconfig -r "$root"
journalctl --root="$root" --update-catalog >/dev/null 2>&1 || true

# V8's compiled code of the agent's bundle, made with the flags of the unit. --predictable and --random-seed make it
# reproducible; V8 allows them to differ.
agent=/usr/lib/vitrine/agent/main.mjs
flags=$(sed -n "s,^ExecStart=/usr/bin/node \(.*\) $agent .*,\1,p" "$root/usr/lib/systemd/system/vitrine-agent.service")
# compile FLAG…
compile() {
    # shellcheck disable=SC2086 # several words
    chroot "$root" /usr/bin/node $flags "$@" --input-type=module - "$agent" 2>&1 <"$(dirname "$0")/compile-agent.mjs" ||
        [ $? -eq 2 ]
}
compile --predictable --random-seed=1 >/dev/null && compile | grep -qx accepted || {
    echo 'finish.sh: Node does not use the compiled code of the agent' >&2
    exit 1
}

# The kernel creates the device nodes; mmdebstrap creates some only when it runs as the host's root.
rm -rf "${root:?}"/dev/*
# Caches of the tools above contain inode numbers; the device starts with an empty /var anyway.
rm -rf "$root"/var/cache/*
# Enforces what docs/security.md promises. Before the last clamp, since it replaces files.
"$(dirname "$0")/../../board/common/seal-root.sh" "$root"
wait "$fonts"
clamp
