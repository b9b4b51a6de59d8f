#!/bin/sh
# check-fragments.sh linux|uboot OUTPUT_DIR TREE: merges the board's configuration fragments for the kernel or U-Boot
# with the defconfig in TREE, an unpacked source tree, and fails when Kconfig drops one of their values. OUTPUT_DIR is the
# output of buildroot-external/configure. Nothing is compiled, and TREE is not modified (it must be clean:
# `make mrproper`). CROSS_COMPILE can override the compiler prefix: Kconfig queries the compiler's features.
set -eu

usage() {
    echo "usage: $0 linux|uboot OUTPUT_DIR TREE" >&2
    exit 2
}
[ $# -eq 3 ] || usage
kind=$1
output=$(cd "$2" && pwd)
tree=$(cd "$3" && pwd)
project=$(cd "$(dirname "$0")/../.." && pwd)

# of SYMBOL: prints its value in the Buildroot configuration, without quotes.
of() { sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}\$/\1/p" "$output/.config"; }

case $kind in
    linux)
        defconfig=$(of BR2_LINUX_KERNEL_DEFCONFIG)
        list=$(of BR2_LINUX_KERNEL_CONFIG_FRAGMENT_FILES)
        ;;
    uboot)
        defconfig=$(of BR2_TARGET_UBOOT_BOARD_DEFCONFIG)
        list=$(of BR2_TARGET_UBOOT_CONFIG_FRAGMENT_FILES)
        ;;
    *) usage ;;
esac
case $(of BR2_ARCH) in
    aarch64) arch=arm64 prefix=aarch64-linux-gnu- ;;
    x86_64) arch=x86_64 prefix=x86_64-linux-gnu- ;;
    *)
        echo "$0: Vitrine does not support the architecture in $output/.config" >&2
        exit 1
        ;;
esac
# Only the kernel needs ARCH; U-Boot gets the architecture from its defconfig.
if [ "$kind" = uboot ]; then arch=; fi
# shellcheck disable=SC2046 # a list of paths; Buildroot does not allow spaces in them
set -- $(echo "$list" | sed "s,\$(BR2_EXTERNAL_VITRINE_PATH),$project/buildroot-external,g; s,\$(BASE_DIR),$output,g")
[ $# -gt 0 ] || {
    echo "$0: $output/.config names no fragments" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
configure() {
    make -s -C "$tree" O="$work" ${arch:+ARCH=$arch} CROSS_COMPILE="${CROSS_COMPILE-$prefix}" "$1" >>"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
}
configure "${defconfig:+${defconfig}_}defconfig"
(cd "$tree" && scripts/kconfig/merge_config.sh -m -O "$work" "$work/.config" "$@") >>"$work/log"
configure olddefconfig
"$project/board/common/check-config.sh" "$work/.config" "$@"
echo "$kind: all symbols of $# fragments are kept"
