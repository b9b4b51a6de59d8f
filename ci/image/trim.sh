#!/bin/sh
# trim.sh ROOT: removes what the device does not need from a Debian root filesystem. Runs inside the builder root.
set -eu

root=$1
here=$(cd "$(dirname "$0")" && pwd)

# Rename the kernel to the name that the boot script loads; keep only the listed modules.
release=$(basename "$root"/usr/lib/modules/*)
mv "$root/boot/vmlinuz-$release" "$root/boot/vmlinuz"
rm -f "$root"/vmlinuz* "$root"/initrd.img* "$root"/boot/config-* "$root"/boot/System.map-*
modules=$root/usr/lib/modules/$release
rm -f "$modules"/build "$modules"/source
sed 's/#.*//' "$here/kernel-modules.conf" | tr -s '[:blank:]' '\n' | sed '/^$/d; s,[.],\\&,g; s,^,^kernel/,' >/tmp/keep
(cd "$modules" && find kernel -name '*.ko*' | sort) >/tmp/all
grep -f /tmp/keep /tmp/all >/tmp/new
: >/tmp/kept
# And the modules that these depend on, until nothing is added. In module names "_" and "-" are equivalent.
while [ -s /tmp/new ]; do
    sort -o /tmp/kept /tmp/kept /tmp/new
    (cd "$modules" && xargs modinfo -F depends) </tmp/new | tr , '\n' | awk '
        { name = $0; sub(".*/", "", name); sub("[.]ko.*", "", name); gsub("-", "_", name) }
        FILENAME == "/tmp/all" { path[name] = $0 }
        FILENAME != "/tmp/all" && name in path { print path[name] }
    ' /tmp/all - | sort -u | comm -23 - /tmp/kept >/tmp/next
    mv /tmp/next /tmp/new
done
comm -23 /tmp/all /tmp/kept | sed "s,^,$modules/," | xargs -r rm
find "$modules" -type d -empty -delete
# Debian's modules are compressed and signed. The kernel would verify each signature although it also accepts unsigned
# modules; in an emulator that costs seconds at every boot, so compression and signatures are removed.
find "$modules" -name '*.ko.xz' -exec xz -d {} +
find "$modules" -name '*.ko' -exec strip --strip-debug {} +
depmod -b "$root" "$release"

# GStreamer silently skips a plugin whose libraries are missing.
for plugin in "$root"/usr/lib/x86_64-linux-gnu/gstreamer-1.0/*.so; do
    if chroot "$root" ldd "${plugin#"$root"}" | grep 'not found'; then
        echo "trim.sh: libraries of ${plugin#"$root"} are missing" >&2
        exit 1
    fi
done

# Remove the package system and the files that only it uses. vitrine-packages.txt records the installed packages.
# It already lists the packages of which only single files are in the image.
# shellcheck disable=SC2016 # dpkg-query's own placeholders
chroot "$root" dpkg-query -W -f '${Package} ${Version}\n' >>"$root/usr/share/vitrine-packages.txt"
sort -o "$root/usr/share/vitrine-packages.txt" "$root/usr/share/vitrine-packages.txt"
rm -rf "$root"/var/lib/dpkg "$root"/var/lib/apt "$root"/var/cache "$root"/var/log "$root"/var/lib/ucf "$root"/var/backups \
    "$root"/etc/apt "$root"/usr/lib/apt "$root"/usr/lib/dracut "$root"/etc/dracut* "$root"/etc/cron* "$root"/etc/init.d \
    "$root"/etc/rc?.d "$root"/usr/lib/udev/hwdb.d "$root"/usr/share/doc-base "$root"/usr/share/debconf \
    "$root"/usr/lib/x86_64-linux-gnu/perl "$root"/usr/share/perl5 "$root"/usr/share/perl "$root"/usr/lib/modules-load.d \
    "$root"/usr/lib/systemd/system/dracut-* "$root"/usr/lib/systemd/system/initrd.target.wants/dracut-* \
    "$root"/usr/share/gdb "$root"/usr/share/icons "$root"/usr/share/pixmaps "$root"/usr/share/applications
rm -f "$root"/etc/systemd/system/*.wants/*
# A filter of PipeWire, which nothing uses, and the 70 MB of libraries that only it needs.
lib=$root/usr/lib/x86_64-linux-gnu
rm -f "$lib"/spa-0.2/filter-graph/libspa-filter-graph-plugin-onnx.so "$lib"/libonnx* "$lib"/libdnnl.so* \
    "$lib"/libxnnpack.so* "$lib"/libprotobuf*.so*
rm -rf "$root"/usr/share/zsh "$root"/etc/security/limits.d/25-pw-rlimits.conf
find "$root/etc" -name '*-' -type f -delete
find "$root/usr" -name __pycache__ -prune -exec rm -rf {} +
mkdir -p "$root/var/cache" "$root/var/log" "$root/var/lib"
