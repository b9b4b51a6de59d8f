#!/bin/sh
# finish.sh ROOT: what Buildroot does to a root filesystem at its end, for the root made from packages: units on and
# off by the presets, users by sysusers, indexes and caches. Runs inside the builder root.
set -eu

root=$1

# The builder's systemd is the root's: same packages. A unit file of a name that masks is /dev/null and is left.
systemd-sysusers --root="$root"
systemctl --root="$root" --preset-mode=full preset-all 2>&1 | grep -v -e '^Created symlink' -e '^Removed' >&2 || true
systemctl --root="$root" set-default multi-user.target >/dev/null 2>&1
depmod -b "$root" "$(basename "$root"/usr/lib/modules/*)"
ldconfig -r "$root"
journalctl --root="$root" --update-catalog >/dev/null 2>&1 || true

# Times that differ from run to run: none is later than the epoch. The fonts' cache holds their folders' times.
clamp() { find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +; }
clamp
rm -rf "$root/usr/lib/fontconfig/cache"
mkdir -p "$root/usr/lib/fontconfig/cache"
fc-cache --sysroot="$root" --system-only --really-force
# Device nodes are the kernel's; mmdebstrap makes some only where it runs as the computer's root.
rm -rf "${root:?}"/dev/*
# Caches of the tools above, with inode numbers in them; the device starts with an empty /var anyway.
rm -rf "$root"/var/cache/*
# What docs/security.md promises; before the last look at the times, since it replaces files.
"$(dirname "$0")/../../board/common/seal-root.sh" "$root"
clamp
