#!/bin/sh
# inputs: board/common/patches/linux board/virt/patches/linux ci/image/kernel-package.sh
# packages: linux-source-*
# Builds the patched USB gadget modules out of tree against the image's kernel: the serial ones, and the emulated
# controller of virt. They are installed in /usr/lib/modules/VERSION/updates, which modprobe prefers; assemble.sh makes the
# module index.
#
# A board's own kernel gets the same patch files of board/common from its build system. Here every module that embeds
# `struct gserial` is rebuilt, not only the patched ones: the structure grows, and this kernel does not
# check module interfaces by checksum.
set -eu

patches="/src/board/common/patches/linux /src/board/virt/patches/linux"
staging=/out

# shellcheck source=ci/image/kernel-package.sh
. /src/ci/image/kernel-package.sh
source=$(kernel_package /tmp/linux-source-*.deb)
tree=$(dpkg-deb -f "$source" Package)

# A fixed path, because it is part of the modules' build id.
work=/tmp/vitrine-modules
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT

gadget=drivers/usb/gadget
set --
for file in function/u_serial.c function/u_serial.h function/f_acm.c function/f_serial.c function/f_obex.c udc/dummy_hcd.c; do
    set -- "$@" "$tree/$gadget/$file"
done
# --occurrence lets tar stop at the last of the files instead of unpacking to the end.
dpkg-deb --fsys-tarfile "$source" | tar -x --to-stdout "./usr/src/$tree.tar.xz" | xz -dc -T0 |
    tar -x -C "$work" --strip-components=1 --occurrence=1 "$@"
for folder in $patches; do
    for patch in "$folder"/*.patch; do
        patch -d "$work" -p1 --fuzz=0 --no-backup-if-mismatch <"$patch" >&2
    done
done

echo 'obj-m := function/ udc/' >"$work/$gadget/Makefile"
echo 'obj-m := dummy_hcd.o' >"$work/$gadget/udc/Makefile"
cat >"$work/$gadget/function/Makefile" <<'MAKEFILE'
obj-m := u_serial.o usb_f_acm.o usb_f_serial.o usb_f_obex.o
usb_f_acm-y := f_acm.o
usb_f_serial-y := f_serial.o
usb_f_obex-y := f_obex.o
ccflags-y := -Werror
MAKEFILE

make -C "$build" M="$work/$gadget" modules >&2
# CONFIG_MODULE_SIG_ALL= because the distribution's signing key is not public.
make -C "$build" M="$work/$gadget" INSTALL_MOD_PATH="$staging/usr" INSTALL_MOD_DIR=updates \
    INSTALL_MOD_STRIP=1 CONFIG_MODULE_SIG_ALL= DEPMOD=true modules_install >&2
