#!/bin/sh
# collect.sh BOARDS BOARD OUT: builds a disk for BOARD from small dummy files with the scripts of BOARDS/common, reads it
# back with other programs, and writes the output of each program to a file in OUT. Runs inside the builder root. When a
# program fails, its message is in that file and NAME.failed is created; the checks look at both.
set -eu

boards=$1 board=$2 out=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out/templates"
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-0}"

# note NAME COMMAND…: runs COMMAND with its output in OUT/NAME.
note() {
    note_file=$out/$1
    shift
    "$@" >"$note_file" 2>&1 || echo "exit code $?" >"$note_file.failed"
}

note definitions "$boards/common/show.sh" "$board"
[ ! -e "$out/definitions.failed" ] || exit 0
COMMON_DIR=$boards/common
BOARD_DIR=$boards/$board
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"
render "$COMMON_DIR/boot.cmd" "$out/templates/boot.cmd"

# A root filesystem as Buildroot prepares it for post-build.sh: merged /usr, the kernel image under its upstream name, all
# modules built in.
target=$work/target
modules=$target/usr/lib/modules/0.0.0
mkdir -p "$target/boot" "$target/etc/systemd" "$target/usr/bin" "$modules"
ln -s usr/bin "$target/bin"
ln -s usr/lib "$target/lib"
cp /usr/bin/busybox "$target/usr/bin"
echo kernel >"$target/boot/Image"
echo tree >"$target/boot/board.dtb"
echo kernel/none.ko: >"$modules/modules.dep"
for module in $INITRAMFS_MODULES; do echo "kernel/$module.ko"; done >"$modules/modules.builtin"
mkdir "$work/key"
/src/ci/image/make-key.sh "$work/key"
export VITRINE_VERSION=0.0.0 VITRINE_KEYRING="$work/key/keyring.pem"
note post-build "$boards/common/post-build.sh" "$target" "$board"
[ ! -e "$out/post-build.failed" ] || exit 0
cp -a "$target" "$work/once"
"$boards/common/post-build.sh" "$target" "$board"
note root-repeated diff -r --no-dereference "$work/once" "$target"
for file in etc/fstab etc/fw_env.config etc/rauc/system.conf etc/vitrine/board.json etc/vitrine/ports.nft; do
    cp "$target/$file" "$out/templates"
done
(cd "$target/boot" && find . -type f | LC_ALL=C sort) >"$out/kernel-files"
mkdir "$work/initramfs"
zstd -dc "$target$INITRD_FILE" | (cd "$work/initramfs" && cpio -id --quiet)
note busybox chroot "$work/initramfs" /bin/switch_root --help
cp "$work/initramfs/init" "$out/templates"

# Buildroot's busybox is dynamically linked, so its libraries must be copied as well. It is simulated by /usr/bin/true,
# which needs the C library, with a busybox appended, because build.sh looks for the names of applets in the file.
shared=$work/shared
mkdir -p "$shared/usr/bin" "$work/shared-initramfs"
cp -a "$target/usr/lib" "$shared/usr/lib"
cp -L /usr/lib/*-linux-gnu/libc.so.6 /usr/lib/*-linux-gnu/ld-linux*.so.* "$shared/usr/lib"
cat /usr/bin/true /usr/bin/busybox >"$shared/usr/bin/busybox"
chmod 0755 "$shared/usr/bin/busybox"
# shellcheck disable=SC2086 # a list of names
"$COMMON_DIR/initramfs/build.sh" "$shared" "$out/templates/init" "$work/shared.img" $INITRAMFS_MODULES
zstd -dc "$work/shared.img" | (cd "$work/shared-initramfs" && cpio -id --quiet)
note shared-busybox chroot "$work/shared-initramfs" /bin/switch_root

# Modules left over from an older kernel must be detected, not used.
mkdir "$shared/usr/lib/modules/0.0.1"
# shellcheck disable=SC2086,SC2016 # a list of names; the inner shell expands
note two-kernels sh -c '! "$0" "$@"' \
    "$COMMON_DIR/initramfs/build.sh" "$shared" "$out/templates/init" "$work/two.img" $INITRAMFS_MODULES

# dummies FOLDER: creates the files that Buildroot or ci/image prepare for post-image.sh.
dummies() {
    mkdir -p "$1"
    truncate -s 1M "$1/rootfs.ext4"
    [ "$FIRMWARE" = raspberrypi ] || return 0
    mkdir -p "$1/rpi-firmware/overlays"
    for name in $FIRMWARE_FILES overlays/overlay_map.dtb overlays/dwc2.dtbo overlays/vc4-kms-v3d.dtbo \
        overlays/ramoops.dtbo; do
        echo "$name" >"$1/rpi-firmware/$name"
    done
    echo tree >"$1/board.dtb"
    echo u-boot >"$1/u-boot.bin"
}

dummies "$work/images"
note post-image "$boards/common/post-image.sh" "$work/images" "$board"
[ ! -e "$out/post-image.failed" ] || exit 0
dummies "$work/again"
"$boards/common/post-image.sh" "$work/again" "$board"
note repeated cmp "$work/images/disk.img" "$work/again/disk.img"

# Read the disk back: its tables, and the FAT at the place that the partition table gives.
disk=$work/images/disk.img
note table sfdisk --json "$disk"
head -c 512 "$disk" >"$out/mbr"
start=$(sed -n 's/.*"start": *\([0-9]*\),.*/\1/p' "$out/table" | head -n 1)
fat=$disk@@$((${start:-2048} * 512))
mkdir "$out/fat"
note fat-copy mcopy -s -n -i "$fat" :: "$out/fat"
note fat-space minfo -i "$fat"

# Check the boot script with mkimage, and read the environment from its files with fw_printenv, as RAUC does.
note boot-script mkimage -l "$out/fat/boot.scr"
sed "s,^$BOOT_MOUNT/,$out/fat/," "$out/templates/fw_env.config" >"$work/fw_env.config"
note environment fw_printenv -c "$work/fw_env.config"

# RAUC reads its configuration before anything else; "info" on a valid bundle fails only if the configuration is wrong.
mkdir "$work/bundle"
head -c 65536 /dev/urandom >"$work/bundle/rootfs.ext4"
cat >"$work/bundle/manifest.raucm" <<EOF
[update]
compatible=$COMPATIBLE
version=0
[bundle]
format=verity
[image.rootfs]
filename=rootfs.ext4
EOF
rauc bundle --cert="$work/key/signing.pem" --key="$work/key/signing.key" "$work/bundle" "$work/update.raucb" \
    >"$work/log" 2>&1 || cat "$work/log" >&2
note rauc rauc --conf="$out/templates/system.conf" --confopt=system:data-directory="$work/rauc" \
    --confopt=keyring:path="$work/key/keyring.pem" info "$work/update.raucb"

# Compile the device-tree overlay of a GPIO watchdog, even if the board has none.
if [ "$FIRMWARE" = raspberrypi ]; then
    GPIO_WATCHDOG=${GPIO_WATCHDOG:-17}
    render "$COMMON_DIR/templates/gpio-watchdog.dts" "$work/overlay.dts"
    note gpio-watchdog dtc -@ -I dts -O dtb -o "$work/overlay.dtbo" "$work/overlay.dts"
    # post-image.sh must fail when the files do not fit into the FAT.
    truncate -s "${BOOT_SIZE_MIB}M" "$work/images/rpi-firmware/too-big"
    note too-big "$boards/common/post-image.sh" "$work/images" "$board"
fi
