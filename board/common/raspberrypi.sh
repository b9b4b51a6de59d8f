# Sourced by post-image.sh: the files that the Raspberry Pi's firmware needs in the FAT.
# shellcheck shell=sh disable=SC2154 # names of render.sh

# raspberrypi_files BINARIES_DIR FAT: copies these files into the folder FAT: Buildroot's rpi-firmware with overlays, the
# kernel's device trees, U-Boot, and config.txt.
raspberrypi_files() {
    cp -R "$1/rpi-firmware/." "$2"
    cp "$1"/*.dtb "$2"
    cp "$1/u-boot.bin" "$2"
    # U-Boot sets the kernel arguments.
    rm -f "$2/cmdline.txt"
    render "$COMMON_DIR/templates/config.txt" "$2/config.txt"
    if [ -n "$GPIO_WATCHDOG" ]; then
        render "$COMMON_DIR/templates/gpio-watchdog.dts" "$2/overlay.dts"
        dtc -q -@ -I dts -O dtb -o "$2/overlays/vitrine-watchdog.dtbo" "$2/overlay.dts"
        rm "$2/overlay.dts"
    fi
    for needed in $FIRMWARE_FILES overlays/overlay_map.dtb overlays/dwc2.dtbo overlays/vc4-kms-v3d.dtbo \
        ${RAMOOPS_ADDR:+overlays/ramoops.dtbo}; do
        if [ ! -s "$2/$needed" ]; then
            echo "post-image: rpi-firmware has no $needed, which $BOARD needs" >&2
            return 1
        fi
    done
}
