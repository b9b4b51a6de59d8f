#!/bin/sh
# inputs: browser
# Builds the kiosk browser inside the builder root: sources from /src, programs to /out/usr/bin.
set -eu

build=/tmp/vitrine-browser
meson setup --prefix=/usr "$build" /src/browser >&2
ninja -C "$build" >&2
for program in vitrine-browser vitrine-storage-limit; do
    install -D -m 0755 -s "$build/$program" "/out/usr/bin/$program"
done
