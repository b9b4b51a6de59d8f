#!/bin/sh
# trim.sh ROOT: removes what the device does not need from a Debian root filesystem. Runs inside the builder root.
set -eu

root=$1

# Rename the kernel to the name that the boot script loads.
release=$(basename "$root"/usr/lib/modules/*)
mv "$root/boot/vmlinuz-$release" "$root/boot/vmlinuz"
rm -f "$root"/vmlinuz* "$root"/initrd.img* "$root"/boot/config-* "$root"/boot/System.map-*
rm -f "$root/usr/lib/modules/$release"/build "$root/usr/lib/modules/$release"/source

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
    "$root"/etc/apt "$root"/etc/dpkg "$root"/usr/lib/apt "$root"/usr/lib/dracut "$root"/etc/dracut* "$root"/etc/cron* \
    "$root"/etc/init.d "$root"/etc/rc?.d "$root"/usr/lib/udev/hwdb.d "$root"/usr/share/doc-base "$root"/usr/share/debconf \
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
