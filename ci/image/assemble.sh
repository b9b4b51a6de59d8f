#!/bin/sh
# assemble.sh BOARD: builds /out/rootfs.ext4 and /out/vmlinuz from /out/root (the device's packages), /out/parts/*, /out/agent
# and the project in /src. Runs inside the builder root. Environment: VITRINE_VERSION, VITRINE_KEYRING, SOURCE_DATE_EPOCH.
set -eu

board=$1
root=/out/root
export VITRINE_VERSION VITRINE_KEYRING SOURCE_DATE_EPOCH
COMMON_DIR=/src/board/common
BOARD_DIR=/src/board/$board
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"

# overlay_tree FROM TO: copies a tree into the root filesystem. The result does not depend on owner, time or umask of the
# checkout. Existing directories keep their modes.
overlay_tree() {
    mkdir -p "$2"
    tar -C "$1" --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode='u=rwX,go=rX' -c . |
        tar -C "$2" --no-overwrite-dir --keep-directory-symlink -x
}

for part in /out/parts/*; do
    [ ! -d "$part" ] || overlay_tree "$part" "$root"
done
overlay_tree /out/agent "$root/usr/lib/vitrine/agent"
overlay_tree /src/overlay "$root"

# The initramfs is made with the module index.
depmod -b "$root" "$(basename "$root"/usr/lib/modules/*)"
"$COMMON_DIR/post-build.sh" "$root" "$board"
/src/ci/image/finish.sh "$root"

truncate -s "${ROOTFS_SIZE_MIB}M" /out/rootfs.ext4
# shellcheck disable=SC2086 # several words
eatmydata mke2fs -q -t ext4 -d "$root" $ROOTFS_MKFS_OPTIONS /out/rootfs.ext4
cp -L "$root/boot/vmlinuz" /out/vmlinuz
