#!/bin/sh
# assemble.sh BOARD: from /out/root (the device's packages), /out/parts/*, /out/agent and the project in /src to
# /out/images/{rootfs.ext4,disk.img}. Runs inside the builder root. Of the environment: VITRINE_VERSION,
# VITRINE_KEYRING, SOURCE_DATE_EPOCH.
set -eu

board=$1
root=/out/root
export VITRINE_VERSION VITRINE_KEYRING SOURCE_DATE_EPOCH
COMMON_DIR=/src/board/common
BOARD_DIR=/src/board/$board
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"

# lay FROM TO: copies a tree over the root's. Neither who checked the project out, nor when, nor with which umask
# shows in the result; directories that are there keep their modes.
lay() {
    mkdir -p "$2"
    tar -C "$1" --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode='u=rwX,go=rX' -c . |
        tar -C "$2" --no-overwrite-dir --keep-directory-symlink -x
}

for part in /out/parts/*; do
    [ ! -d "$part" ] || lay "$part" "$root"
done
lay /out/agent "$root/usr/lib/vitrine/agent"
lay /src/overlay "$root"

"$COMMON_DIR/post-build.sh" "$root" "$board"
/src/ci/image/finish.sh "$root"

rm -f /out/images/rootfs.ext4
truncate -s "${ROOTFS_SIZE_MIB}M" /out/images/rootfs.ext4
# shellcheck disable=SC2086 # several words
mke2fs -q -t ext4 -d "$root" $ROOTFS_MKFS_OPTIONS /out/images/rootfs.ext4

"$COMMON_DIR/post-image.sh" /out/images "$board"
