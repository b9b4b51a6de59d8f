#!/bin/sh
# post-image.sh BINARIES_DIR BOARD: makes disk.img (and boot.vfat in it) beside BINARIES_DIR's rootfs.ext4. Called by
# Buildroot (BR2_ROOTFS_POST_IMAGE_SCRIPT) and by ci/image alike. No loop devices, no mounts.
set -eu

BINARIES_DIR=$(cd "$1" && pwd)
COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
BOARD_DIR=$(dirname "$COMMON_DIR")/$2
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SOURCE_DATE_EPOCH

render "$COMMON_DIR/boot.cmd" "$work/boot.cmd"
mkimage -T script -C none -n 'vitrine A/B' -d "$work/boot.cmd" "$work/boot.scr" >/dev/null

# The first copy is generation 1, the second the same with 0: both valid, the first newer.
cat >"$work/environment" <<EOF
BOOT_ORDER=A B
BOOT_A_LEFT=$BOOT_ATTEMPTS
BOOT_B_LEFT=$BOOT_ATTEMPTS
EOF
mkenvimage -r -s "$ENV_SIZE" -o "$work/$ENV_FILE_0" "$work/environment"
cp "$work/$ENV_FILE_0" "$work/$ENV_FILE_1"
printf '\000' | dd of="$work/$ENV_FILE_1" bs=1 seek=4 conv=notrunc status=none

# --invariant: a constant volume id and creation date.
rm -f "$BINARIES_DIR/boot.vfat"
truncate -s "${BOOT_SIZE_MIB}M" "$BINARIES_DIR/boot.vfat"
mkfs.vfat --invariant -n BOOT "$BINARIES_DIR/boot.vfat" >/dev/null
for file in boot.scr "$ENV_FILE_0" "$ENV_FILE_1"; do
    touch -d "@$SOURCE_DATE_EPOCH" "$work/$file"
    TZ=UTC mcopy -m -i "$BINARIES_DIR/boot.vfat" "$work/$file" "::/$file"
done

render "$COMMON_DIR/genimage.cfg" "$work/genimage.cfg"
mkdir "$work/root"
genimage --rootpath "$work/root" --tmppath "$work/tmp" --inputpath "$BINARIES_DIR" --outputpath "$BINARIES_DIR" \
    --config "$work/genimage.cfg" >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
