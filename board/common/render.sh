# Sourced by other scripts: reads the definitions of the disk, of all devices and of the board, and renders templates.
# Needs BOARD_DIR (board/<name>) and COMMON_DIR (board/common).
# shellcheck shell=sh disable=SC2034,SC2154 # the names are used by eval, through RENDERED

# shellcheck source=board/common/partitions.env
. "$COMMON_DIR/partitions.env"
# shellcheck source=board/common/device.env
. "$COMMON_DIR/device.env"
# shellcheck source=board/virt/board.env
. "$BOARD_DIR/board.env"

# one_of NAME VALUE…: fails unless the definition NAME has one of the values.
one_of() {
    one_name=$1
    eval "one_value=\$$1"
    shift
    for one_allowed in "$@"; do
        if [ "$one_value" = "$one_allowed" ]; then return 0; fi
    done
    echo "$BOARD_DIR/board.env: $one_name is \"$one_value\", not one of: $*" >&2
    exit 1
}
# numbers NAME…: fails unless all of the definitions are numbers, decimal or 0x….
numbers() {
    for number_name in "$@"; do
        eval "number_value=\$$number_name"
        case ${number_value#0x} in
            '' | *[!0-9a-fA-F]*)
                echo "$BOARD_DIR/board.env: $number_name is \"$number_value\", which is not a number" >&2
                exit 1
                ;;
        esac
    done
}
one_of BOARD "$(basename "$BOARD_DIR")"
one_of PARTITION_TABLE gpt hybrid
one_of RADIO none single-band dual-band
one_of USB_HOST_PORT yes no
one_of FIRMWARE none raspberrypi

numbers ENV_ADDR KERNEL_ADDR INITRD_ADDR MEMORY_START MEMORY_MIB BOOT_SIZE_MIB ROOTFS_SIZE_MIB DATA_SIZE_MIB CONTENT_PORT \
    WATCHDOG_SECONDS RAMOOPS_SIZE RAMOOPS_RECORD_SIZE
if [ -n "$RAMOOPS_ADDR" ]; then numbers RAMOOPS_ADDR; fi
if ! printf '%s\n' "$NFC_BUS" | grep -Eqx '|i2c-[0-9]+|spidev[0-9]+\.[0-9]+'; then
    echo "$BOARD_DIR/board.env: NFC_BUS is \"$NFC_BUS\", not i2c-N or spidevN.M" >&2
    exit 1
fi
if [ -n "$GPIO_WATCHDOG" ] && [ "$FIRMWARE" = none ]; then
    echo "$BOARD_DIR/board.env: GPIO_WATCHDOG needs a device tree of the firmware" >&2
    exit 1
fi

KERNEL_ARGS="console=$CONSOLE $KERNEL_ARGS_COMMON${KERNEL_ARGS:+ $KERNEL_ARGS}"
# For the boot script, where "\$" is a "$"; the sed of render() turns "\\" into "\".
KERNEL_ARGS_QUOTED=$(printf '%s\n' "$KERNEL_ARGS" | sed 's/\$/\\\\$/g')

# In a hybrid table a partition with an MBR type gets an MBR entry: only the FAT.
BOOT_MBR_TYPE=
if [ "$PARTITION_TABLE" = hybrid ]; then BOOT_MBR_TYPE='partition-type = 0xC'; fi

# Lines of config.txt.
USB_DEVICE_MODELS=${USB_DEVICE_MODELS-}
SCREEN_OVERLAY=${SCREEN_OVERLAY-}
NFC_BUS_LINE=
case $NFC_BUS in
    i2c-*) NFC_BUS_LINE=dtparam=i2c_arm=on ;;
    spidev*) NFC_BUS_LINE=dtparam=spi=on ;;
esac
GPIO_WATCHDOG_LINE=
if [ -n "$GPIO_WATCHDOG" ]; then GPIO_WATCHDOG_LINE=dtoverlay=vitrine-watchdog; fi
RAMOOPS_LINE=
if [ -n "$RAMOOPS_ADDR" ]; then RAMOOPS_LINE=dtoverlay=ramoops,base-addr=$RAMOOPS_ADDR; fi

# Addresses for the boot script, computed from ENV_ADDR and ENV_SIZE. See boot.cmd for the layout of a copy.
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

# The agent's board.json.
json_list() { printf '%s\n' "$@" | sed 's/.*/"&"/' | paste -sd, | sed 's/.*/[&]/'; }
# shellcheck disable=SC2086 # lists of names
{
    SERIAL_LINES_JSON=$(json_list $SERIAL_LINES)
    SCREENS_JSON=$(json_list $SCREENS)
}
NFC_BUS_JSON=null
if [ -n "$NFC_BUS" ]; then NFC_BUS_JSON="\"$NFC_BUS\""; fi
USB_HOST_PORT_JSON=false
if [ "$USB_HOST_PORT" = yes ]; then USB_HOST_PORT_JSON=true; fi

RENDERED="BOOT_LABEL ROOTFS_A_LABEL ROOTFS_B_LABEL DATA_LABEL BOOT_PART ROOTFS_A_PART ROOTFS_B_PART PARTITION_TABLE
BOOT_SIZE_MIB ROOTFS_SIZE_MIB DATA_SIZE_MIB BOOT_MBR_TYPE ENV_FILE_0 ENV_FILE_1 ENV_SIZE BOOT_MOUNT BOOT_ATTEMPTS
DATA_MKFS_OPTIONS BOARD PROFILE COMPATIBLE BUILDROOT_CONFIG DISK_UUID ROOTFS_MKFS_OPTIONS CONSOLE ENV_ADDR ENV_0 ENV_0_PACKED
ENV_0_GENERATION ENV_1 ENV_1_PACKED ENV_1_GENERATION ENV_PACKED_SIZE ENV_SCRATCH GENERATION_0 GENERATION_1
MEMORY_START MEMORY_MIB KERNEL_ADDR INITRD_ADDR BOOT_DEVTYPE BOOT_DEVNUM BOOT_WATCHDOG BOOT_COMMAND KERNEL_FILE INITRD_FILE
KERNEL_ARGS KERNEL_ARGS_QUOTED INITRAMFS_MODULES FIRMWARE FIRMWARE_FILES USB_DEVICE_MODELS SCREEN_OVERLAY
NFC_BUS_LINE GPIO_WATCHDOG_LINE RAMOOPS_ADDR RAMOOPS_SIZE RAMOOPS_RECORD_SIZE RAMOOPS_LINE CONTENT_PORT RADIO
WATCHDOG_SECONDS GPIO_WATCHDOG NFC_BUS UDC_MODULE SERIAL_LINES_JSON SCREENS_JSON NFC_BUS_JSON USB_HOST_PORT_JSON"

# render TEMPLATE OUT: replaces each @NAME@; fails if an undefined one is left.
render() {
    render_script=
    for render_name in $RENDERED; do
        eval "render_value=\$$render_name"
        render_script="$render_script
s|@$render_name@|$render_value|g"
    done
    sed "$render_script" "$1" >"$2"
    if grep -Hn '@[A-Z0-9_]*@' "$2" >&2; then
        echo "render: $1 contains an undefined name" >&2
        return 1
    fi
}
