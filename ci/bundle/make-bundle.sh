#!/bin/sh
# make-bundle.sh LEVEL RAUC-OPTION…: builds /out/bundle.raucb from the folder /out/content, compressed with zstd's LEVEL, and
# signs it; the options name the signer. Runs inside the builder root.
set -eu

level=$1
shift

# Blocks of 64 KiB: a device that streams an adaptive update reads whole blocks, so small ones mean less data (RAUC's
# manual advises them). zstd is what the kernels of all boards can read. Of the virt image, level 9 makes 351 MB in 10 s;
# level 15 makes 334 MB in 43 s, level 3 makes 373 MB in 3 s.
rauc bundle --mksquashfs-args="-comp zstd -Xcompression-level $level -b 64k" "$@" content bundle.raucb
