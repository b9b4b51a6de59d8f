# Sourced by post-build.sh and post-image.sh: reads the definitions of the disk and of the board and fills templates.
# Needs BOARD_DIR (board/<name>) and COMMON_DIR (board/common).
# shellcheck shell=sh disable=SC2034,SC2154 # the names are used by eval, through RENDERED

# shellcheck source=board/common/partitions.env
. "$COMMON_DIR/partitions.env"
# shellcheck source=board/virt/board.env
. "$BOARD_DIR/board.env"

# Addresses that the boot script works with, from ENV_ADDR and ENV_SIZE. See boot.cmd for the layout of a copy.
hex() { printf '0x%x' "$1"; }
ENV_0=$(hex "$((ENV_ADDR))")
ENV_0_PACKED=$(hex "$((ENV_ADDR + 1))")
ENV_0_GENERATION=$(hex "$((ENV_ADDR + 4))")
ENV_1=$(hex "$((ENV_ADDR + 0x100000))")
ENV_1_PACKED=$(hex "$((ENV_ADDR + 0x100001))")
ENV_1_GENERATION=$(hex "$((ENV_ADDR + 0x100004))")
ENV_PACKED_SIZE=$(hex "$((ENV_SIZE - 1))")
ENV_SCRATCH=$(hex "$((ENV_ADDR + 0x200000))")
GENERATION_0=$(hex "$((ENV_ADDR + 0x200010))")
GENERATION_1=$(hex "$((ENV_ADDR + 0x200020))")

RENDERED="BOOT_LABEL ROOTFS_A_LABEL ROOTFS_B_LABEL DATA_LABEL BOOT_PART ROOTFS_A_PART ROOTFS_B_PART BOOT_SIZE_MIB
ROOTFS_SIZE_MIB DATA_SIZE_MIB ENV_FILE_0 ENV_FILE_1 ENV_SIZE BOOT_MOUNT BOOT_ATTEMPTS BOARD COMPATIBLE DISK_UUID
ENV_0 ENV_0_PACKED ENV_0_GENERATION ENV_1 ENV_1_PACKED ENV_1_GENERATION ENV_PACKED_SIZE ENV_SCRATCH GENERATION_0
GENERATION_1 KERNEL_ADDR INITRD_ADDR BOOT_DEVTYPE BOOT_DEVNUM BOOT_COMMAND KERNEL_FILE INITRD_FILE KERNEL_ARGS"

# render TEMPLATE OUT: replaces each @NAME@; fails when one is left.
render() {
    render_script=
    for render_name in $RENDERED; do
        eval "render_value=\$$render_name"
        render_script="$render_script
s|@$render_name@|$render_value|g"
    done
    sed "$render_script" "$1" >"$2"
    if grep -Hn '@[A-Z0-9_]*@' "$2" >&2; then
        echo "render: $1 names something that is not defined" >&2
        return 1
    fi
}
