#!/bin/sh
# build.sh ROOT INIT OUT MODULE…: a small initramfs of ROOT's static busybox, the kernel modules with what they depend
# on, and INIT. Same input, same bytes.
set -eu

root=$1 init=$2 out=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir -p "$work/bin" "$work/dev" "$work/proc" "$work/sys" "$work/run" "$work/sysroot" "$work/lib"
cp "$root/usr/bin/busybox" "$work/bin/busybox"
for applet in sh mount insmod grep sed sleep rm rmdir ln mkdir basename dirname readlink chroot head tr wc dd od \
    chmod sync mv switch_root; do
    ln -s busybox "$work/bin/$applet"
done
cp "$init" "$work/init"
chmod 0755 "$work/init"

# modules.dep lists for each module what it needs, the deepest last.
: >"$work/lib/order"
release=$(basename "$root"/usr/lib/modules/*)
modules=$root/usr/lib/modules/$release
for name in "$@"; do
    line=$(sed -n "s,^\(.*/$(echo "$name" | sed 's/[_-]/[_-]/g')\.ko[.a-z]*:.*\),\1,p" "$modules/modules.dep")
    if [ -z "$line" ]; then
        # Built into the kernel is as good.
        grep -q "/$name\.ko$" "$modules/modules.builtin" || {
            echo "initramfs: the kernel has no module $name" >&2
            exit 1
        }
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
