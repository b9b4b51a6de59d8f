#!/bin/sh
# build.sh ROOT INIT OUT MODULE…: builds a small, reproducible initramfs from ROOT's busybox with its shared libraries, the
# kernel modules with their dependencies, and INIT. Does not execute any program of ROOT.
set -eu

root=$1 init=$2 out=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "initramfs: $1" >&2
    exit 1
}

mkdir -p "$work/bin" "$work/dev" "$work/proc" "$work/sys" "$work/run" "$work/sysroot" "$work/lib"
cp "$root/usr/bin/busybox" "$work/bin/busybox"
# The busybox binary contains the names of its applets, separated by NULs.
tr '\000' '\n' <"$work/bin/busybox" >"$work/names"
for applet in sh cat mount insmod grep sed sleep rm rmdir ln mkdir basename dirname readlink chroot head tr wc dd od \
    chmod sync mv switch_root; do
    grep -aqx "$applet" "$work/names" || fail "busybox has no $applet"
    ln -s busybox "$work/bin/$applet"
done
rm "$work/names"
cp "$init" "$work/init"
chmod 0755 "$work/init"

# library NAME: copies a library and its dependencies. The dynamic linker searches /lib or /lib64.
library() {
    [ ! -e "$work/lib/$1" ] || return 0
    library_path=$(find "$root/usr/lib" "$root/lib/" "$root/lib64/" -name "$1" 2>/dev/null | LC_ALL=C sort | head -n 1)
    [ -n "$library_path" ] || fail "the root filesystem has no $1, which busybox needs"
    cp -L "$library_path" "$work/lib/$1"
    libraries_of "$work/lib/$1"
}

# libraries_of FILE: copies the dynamic linker and the libraries that FILE needs.
libraries_of() {
    for needed in $(LC_ALL=C readelf -W -l -d "$1" |
        sed -n -e 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' -e 's/.*program interpreter: .*\/\(.*\)\]$/\1/p'); do
        library "$needed"
    done
}
libraries_of "$work/bin/busybox"
ln -s lib "$work/lib64"

# modules.dep lists the dependencies of each module, the deepest last. In module names "_" and "-" are equivalent.
: >"$work/lib/order"
# The root may still contain the modules of an older kernel, which is an error.
release=$(cd "$root/usr/lib/modules" && echo *)
modules=$root/usr/lib/modules/$release
[ -s "$modules/modules.dep" ] || fail "no modules of exactly one kernel in $root/usr/lib/modules: $release"
for name in "$@"; do
    pattern=$(echo "$name" | sed 's/[_-]/[_-]/g')
    line=$(sed -n "s,^\(.*/$pattern\.ko[.a-z]*:.*\),\1,p" "$modules/modules.dep")
    if [ -z "$line" ]; then
        # The module may be built into the kernel.
        grep -q "/$pattern\.ko$" "$modules/modules.builtin" || fail "the kernel has no module $name"
        continue
    fi
    for path in $(echo "$line" | tr -d : | tr ' ' '\n' | tac); do
        plain=$(basename "$path" | sed 's/\.ko.*/.ko/')
        [ ! -e "$work/lib/$plain" ] || continue
        case $path in
            *.xz) xz -dc "$modules/$path" ;;
            *.zst) zstd -dcq "$modules/$path" ;;
            *) cat "$modules/$path" ;;
        esac >"$work/lib/$plain"
        echo "$plain" >>"$work/lib/order"
    done
done

find "$work" -exec touch -h -d "@${SOURCE_DATE_EPOCH:-0}" {} +
(cd "$work" && find . -print0 | LC_ALL=C sort -z | cpio --null -o -H newc --reproducible -R 0:0 --quiet) |
    zstd -q -T1 -10 >"$out"
