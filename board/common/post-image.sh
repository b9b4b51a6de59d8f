#!/bin/sh
# post-image.sh BINARIES_DIR BOARD: builds disk.img from rootfs.ext4 in BINARIES_DIR and a new boot.vfat. Called by
# Buildroot (BR2_ROOTFS_POST_IMAGE_SCRIPT) and by ci/image. Needs no loop devices or mounts. Environment:
# SOURCE_DATE_EPOCH.
set -eu

BINARIES_DIR=$(cd "$1" && pwd)
COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
BOARD_DIR=$(dirname "$COMMON_DIR")/$2
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"
# shellcheck source=board/common/raspberrypi.sh
. "$COMMON_DIR/raspberrypi.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH

# The files of the FAT.
fat=$work/fat
mkdir "$fat"
if [ "$FIRMWARE" = raspberrypi ]; then raspberrypi_files "$BINARIES_DIR" "$fat"; fi
render "$COMMON_DIR/boot.cmd" "$work/boot.cmd"
mkimage -T script -C none -n 'vitrine A/B' -d "$work/boot.cmd" "$fat/boot.scr" >/dev/null

# The first copy has generation 1, the second one is equal but with generation 0: both are valid, the first is newer.
cat >"$work/environment" <<EOF
BOOT_ORDER=A B
BOOT_A_LEFT=$BOOT_ATTEMPTS
BOOT_B_LEFT=$BOOT_ATTEMPTS
EOF
mkenvimage -r -s "$ENV_SIZE" -o "$fat/$ENV_FILE_0" "$work/environment"
cp "$fat/$ENV_FILE_0" "$fat/$ENV_FILE_1"
printf '\000' | dd of="$fat/$ENV_FILE_1" bs=1 seek=4 conv=notrunc status=none

# For reproducible images: --invariant sets a constant volume id and creation date, and the files are copied one by one in
# sorted order, because the order within a folder depends on the host's file system.
image=$BINARIES_DIR/boot.vfat
rm -f "$image"
truncate -s "${BOOT_SIZE_MIB}M" "$image"
mkfs.vfat --invariant -n BOOT "$image" >/dev/null
find "$fat" -exec touch -d "@$SOURCE_DATE_EPOCH" {} +
(cd "$fat" && find . -mindepth 1 -type d) | LC_ALL=C sort >"$work/folders"
(cd "$fat" && find . -type f) | LC_ALL=C sort >"$work/files"
while read -r folder; do
    mmd -i "$image" "::${folder#.}"
done <"$work/folders"
while read -r file; do
    TZ=UTC mcopy -m -i "$image" "$fat/$file" "::${file#.}" || {
        echo "post-image: $file does not fit into the FAT of $BOOT_SIZE_MIB MiB (BOOT_SIZE_MIB)" >&2
        exit 1
    }
done <"$work/files"

render "$COMMON_DIR/genimage.cfg" "$work/genimage.cfg"
mkdir "$work/root"
genimage --rootpath "$work/root" --tmppath "$work/tmp" --inputpath "$BINARIES_DIR" --outputpath "$BINARIES_DIR" \
    --config "$work/genimage.cfg" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
