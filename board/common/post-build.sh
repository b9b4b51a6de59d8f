#!/bin/sh
# post-build.sh TARGET_DIR BOARD: final changes to the root filesystem, after the packages and overlay/. Called by
# Buildroot (BR2_ROOTFS_POST_BUILD_SCRIPT) and by ci/image, possibly several times on the same tree. Does not execute any
# program of the tree. Environment: VITRINE_VERSION, VITRINE_KEYRING (PEM file of the certificates that verify update
# bundles), SOURCE_DATE_EPOCH (Buildroot sets it with BR2_REPRODUCIBLE).
set -eu
: "${VITRINE_VERSION:?}" "${VITRINE_KEYRING:?}" "${SOURCE_DATE_EPOCH:?}"

# RAUC compares versions and would not start with another one.
number='(0|[1-9][0-9]*)'
if ! printf '%s\n' "$VITRINE_VERSION" | grep -Eqx "$number\\.$number\\.$number(-[0-9A-Za-z.-]+)?"; then
    echo "the version \"$VITRINE_VERSION\" is not MAJOR.MINOR.PATCH[-PRERELEASE]" >&2
    exit 1
fi

TARGET_DIR=$1
COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
BOARD_DIR=$(dirname "$COMMON_DIR")/$2
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"

render "$COMMON_DIR/templates/fstab" "$TARGET_DIR/etc/fstab"
render "$COMMON_DIR/templates/fw_env.config" "$TARGET_DIR/etc/fw_env.config"
mkdir -p "$TARGET_DIR/etc/rauc" "$TARGET_DIR/data" "$TARGET_DIR$BOOT_MOUNT"
render "$COMMON_DIR/templates/rauc-system.conf" "$TARGET_DIR/etc/rauc/system.conf"
check_crl=$("$COMMON_DIR/check-keyring.sh" "$VITRINE_KEYRING")
sed -i "s/^check-crl=.*/check-crl=$check_crl/" "$TARGET_DIR/etc/rauc/system.conf"
sed -i "s/^min-bundle-version=.*/min-bundle-version=$VITRINE_VERSION/" "$TARGET_DIR/etc/rauc/system.conf"
cp "$VITRINE_KEYRING" "$TARGET_DIR/etc/rauc/keyring.pem"

mkdir -p "$TARGET_DIR/etc/vitrine"
echo "$VITRINE_VERSION" >"$TARGET_DIR/etc/vitrine/version"
render "$COMMON_DIR/templates/board.json" "$TARGET_DIR/etc/vitrine/board.json"
render "$COMMON_DIR/templates/ports.nft" "$TARGET_DIR/etc/vitrine/ports.nft"
echo "$UDC_MODULE" >"$TARGET_DIR/etc/vitrine/udc-module"
mkdir -p "$TARGET_DIR/etc/systemd/system.conf.d"
render "$COMMON_DIR/templates/watchdog.conf" "$TARGET_DIR/etc/systemd/system.conf.d/60-vitrine-watchdog.conf"
# libccid passes commands for light and buzzer on to a reader without a tag only with this option. Its settings are in the
# driver's folder or, on Debian, in /etc.
bundle=$TARGET_DIR/usr/lib/pcsc/drivers/ifd-ccid.bundle/Contents/Info.plist
for settings in "$bundle" "$TARGET_DIR/etc/libccid_Info.plist"; do
    if [ ! -L "$settings" ] && [ -f "$settings" ]; then
        sed -i '/<key>ifdDriverOptions</{n;s/0x0000/0x0001/}' "$settings"
        grep -A1 '<key>ifdDriverOptions<' "$settings" | grep -q 0x0001
    fi
done
cat >"$TARGET_DIR/usr/lib/os-release" <<EOF
NAME=Vitrine
ID=vitrine
PRETTY_NAME="Vitrine $VITRINE_VERSION ($BOARD)"
VERSION_ID=$VITRINE_VERSION
VARIANT_ID=$BOARD
EOF
ln -sf ../usr/lib/os-release "$TARGET_DIR/etc/os-release"

# Names that must not be copied from the build host. The initramfs bind-mounts the real machine-id over this file.
: >"$TARGET_DIR/etc/machine-id"
echo vitrine >"$TARGET_DIR/etc/hostname"
printf '127.0.0.1 localhost\n127.0.1.1 vitrine\n::1 localhost\n' >"$TARGET_DIR/etc/hosts"
ln -sf ../run/systemd/resolve/stub-resolv.conf "$TARGET_DIR/etc/resolv.conf"
ln -sf ../proc/self/mounts "$TARGET_DIR/etc/mtab"
# The agent sets the time zone by creating this link's target; until then it is UTC.
ln -sfn /data/state/localtime "$TARGET_DIR/etc/localtime"
rm -f "$TARGET_DIR/etc/timezone"
rm -f "$TARGET_DIR"/etc/ssh/ssh_host_* "$TARGET_DIR/var/lib/systemd/random-seed" "$TARGET_DIR/etc/.updated"

# systemd sets the clock at least to the date of this file.
: >"$TARGET_DIR/usr/lib/clock-epoch"
touch -d "@$SOURCE_DATE_EPOCH" "$TARGET_DIR/usr/lib/clock-epoch"

# Buildroot installs the kernel under its upstream name. It also installs device trees, which are not needed because the
# firmware provides them.
for kernel in bzImage Image; do
    if [ -e "$TARGET_DIR/boot/$kernel" ]; then mv -f "$TARGET_DIR/boot/$kernel" "$TARGET_DIR$KERNEL_FILE"; fi
done
rm -f "$TARGET_DIR"/boot/*.dtb
if [ ! -s "$TARGET_DIR$KERNEL_FILE" ]; then
    echo "post-build: the root filesystem has no kernel, $KERNEL_FILE" >&2
    exit 1
fi

init=$(mktemp)
trap 'rm -f "$init"' EXIT
render "$COMMON_DIR/initramfs/init" "$init"
# shellcheck disable=SC2086 # a list of names
"$COMMON_DIR/initramfs/build.sh" "$TARGET_DIR" "$init" "$TARGET_DIR$INITRD_FILE" $INITRAMFS_MODULES
