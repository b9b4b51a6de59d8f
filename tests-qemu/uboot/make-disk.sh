#!/bin/sh
# make-disk.sh BOARD: creates disk.img in the working folder with the board's post-image.sh. Its slots contain only
# kernel-A or kernel-B from the working folder and an initramfs that names the slot. Also creates the slots' file systems
# slot-A.ext4 and slot-B.ext4, slot-X-without-kernel.ext4 and slot-X-without-initramfs.ext4, and board.txt with the
# board's definitions. Runs inside the builder root.
set -eu

COMMON_DIR=/src/board/common
BOARD_DIR=/src/board/$1
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"
"$COMMON_DIR/show.sh" "$1" >board.txt

# file_system NAME FOLDER: creates a file system with the options of the real one, but small.
file_system() {
    rm -f "$1"
    truncate -s 1M "$1"
    # shellcheck disable=SC2086 # options, split on purpose
    mke2fs -q -t ext4 -d "$2" $ROOTFS_MKFS_OPTIONS "$1"
}

for slot in A B; do
    root=root-$slot
    mkdir -p "$root$(dirname "$KERNEL_FILE")" "$root$(dirname "$INITRD_FILE")"
    cp "kernel-$slot" "$root$KERNEL_FILE"
    printf 'of slot %s\0' "$slot" >"$root$INITRD_FILE"
    file_system "slot-$slot.ext4" "$root"
    mv "$root$KERNEL_FILE" lost
    file_system "slot-$slot-without-kernel.ext4" "$root"
    mv lost "$root$KERNEL_FILE"
    rm "$root$INITRD_FILE"
    file_system "slot-$slot-without-initramfs.ext4" "$root"
done
cp slot-A.ext4 rootfs.ext4
"$COMMON_DIR/post-image.sh" . "$1"
