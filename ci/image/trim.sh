#!/bin/sh
# trim.sh ROOT: takes from a Debian root what the device does not need. Runs inside the builder root.
set -eu

root=$1
here=$(cd "$(dirname "$0")" && pwd)

# One kernel under the name that the boot script loads; no modules but those listed.
release=$(basename "$root"/usr/lib/modules/*)
mv "$root/boot/vmlinuz-$release" "$root/boot/vmlinuz"
rm -f "$root"/vmlinuz* "$root"/initrd.img* "$root"/boot/config-* "$root"/boot/System.map-*
modules=$root/usr/lib/modules/$release
rm -f "$modules"/build "$modules"/source
sed 's/#.*//' "$here/kernel-modules.conf" | tr -s '[:blank:]' '\n' | sed '/^$/d; s,[.],\\&,g; s,^,^kernel/,' >/tmp/keep
# modules.dep: "path: what it needs…", already transitive.
grep -f /tmp/keep "$modules/modules.dep" | tr -d : | tr ' ' '\n' | sort -u >/tmp/kept
(cd "$modules" && find kernel -name '*.ko*' | sort) | comm -23 - /tmp/kept | sed "s,^,$modules/," | xargs -r rm
find "$modules" -type d -empty -delete
# Debian's modules are packed and signed, and the kernel checks each signature though it takes modules without one, as a
# board's own are: in an emulator that is seconds of every boot.
find "$modules" -name '*.ko.xz' -exec xz -d {} +
find "$modules" -name '*.ko' -exec strip --strip-debug {} +
depmod -b "$root" "$release"

# The package system, and what only it and building use. packages.txt stays as the record of what is inside.
# shellcheck disable=SC2016 # dpkg-query's own placeholders
chroot "$root" dpkg-query -W -f '${Package} ${Version}\n' >"$root/usr/share/vitrine-packages.txt"
rm -rf "$root"/var/lib/dpkg "$root"/var/lib/apt "$root"/var/cache "$root"/var/log "$root"/var/lib/ucf "$root"/var/backups \
    "$root"/etc/apt "$root"/usr/lib/apt "$root"/usr/lib/dracut "$root"/etc/dracut* "$root"/etc/cron* "$root"/etc/init.d \
    "$root"/etc/rc?.d "$root"/usr/lib/udev/hwdb.d "$root"/usr/share/doc-base "$root"/usr/share/debconf \
    "$root"/usr/lib/x86_64-linux-gnu/perl "$root"/usr/share/perl5 "$root"/usr/share/perl "$root"/usr/lib/modules-load.d \
    "$root"/usr/lib/systemd/system/dracut-* "$root"/usr/lib/systemd/system/initrd.target.wants/dracut-* \
    "$root"/usr/share/gdb "$root"/usr/share/icons "$root"/usr/share/pixmaps "$root"/usr/share/applications
rm -f "$root"/etc/systemd/system/*.wants/*
find "$root/etc" -name '*-' -type f -delete
find "$root/usr" -name __pycache__ -prune -exec rm -rf {} +
mkdir -p "$root/var/cache" "$root/var/log" "$root/var/lib"
