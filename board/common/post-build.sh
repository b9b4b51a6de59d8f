#!/bin/sh
# post-build.sh TARGET_DIR BOARD: the last changes to the root filesystem, after the packages and overlay/. Called by
# Buildroot (BR2_ROOTFS_POST_BUILD_SCRIPT) and by ci/image alike. Of the environment: VITRINE_VERSION (required),
# VITRINE_KEYRING (PEM file of the certificates that update bundles are checked with), SOURCE_DATE_EPOCH.
set -eu

TARGET_DIR=$1
COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
BOARD_DIR=$(dirname "$COMMON_DIR")/$2
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"

render "$COMMON_DIR/templates/fstab" "$TARGET_DIR/etc/fstab"
render "$COMMON_DIR/templates/fw_env.config" "$TARGET_DIR/etc/fw_env.config"
mkdir -p "$TARGET_DIR/etc/rauc" "$TARGET_DIR/data" "$TARGET_DIR$BOOT_MOUNT"
render "$COMMON_DIR/templates/rauc-system.conf" "$TARGET_DIR/etc/rauc/system.conf"
cp "$VITRINE_KEYRING" "$TARGET_DIR/etc/rauc/keyring.pem"

mkdir -p "$TARGET_DIR/etc/vitrine"
echo "$VITRINE_VERSION" >"$TARGET_DIR/etc/vitrine/version"
echo "$BOARD" >"$TARGET_DIR/etc/vitrine/profile"
echo "VITRINE_PROFILE=$BOARD" >"$TARGET_DIR/etc/vitrine/board.env"
cat >"$TARGET_DIR/usr/lib/os-release" <<EOF
NAME=Vitrine
ID=vitrine
PRETTY_NAME="Vitrine $VITRINE_VERSION ($BOARD)"
VERSION_ID=$VITRINE_VERSION
VARIANT_ID=$BOARD
EOF
ln -sf ../usr/lib/os-release "$TARGET_DIR/etc/os-release"

# Names that belong to one device, not to an image. The initramfs binds the real machine-id over this file; the link
# to systemd-resolved replaces whatever the building machine left.
: >"$TARGET_DIR/etc/machine-id"
echo vitrine >"$TARGET_DIR/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 vitrine\n::1 localhost\n' >"$TARGET_DIR/etc/hosts"
ln -sf ../run/systemd/resolve/stub-resolv.conf "$TARGET_DIR/etc/resolv.conf"
ln -sf ../proc/self/mounts "$TARGET_DIR/etc/mtab"
rm -f "$TARGET_DIR"/etc/ssh/ssh_host_* "$TARGET_DIR/var/lib/systemd/random-seed" "$TARGET_DIR/etc/.updated"

# systemd never lets the clock be earlier than this file's date.
: >"$TARGET_DIR/usr/lib/clock-epoch"
touch -d "@$SOURCE_DATE_EPOCH" "$TARGET_DIR/usr/lib/clock-epoch"

init=$(mktemp)
trap 'rm -f "$init"' EXIT
render "$COMMON_DIR/initramfs/init" "$init"
# shellcheck disable=SC2086 # a list of names
"$COMMON_DIR/initramfs/build.sh" "$TARGET_DIR" "$init" "$TARGET_DIR/boot/initrd.img" $INITRAMFS_MODULES
