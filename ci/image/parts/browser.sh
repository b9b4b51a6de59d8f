#!/bin/sh
# inputs: browser
# Builds the kiosk browser inside the builder root: sources from /src, programs to /out/usr/bin.
set -eu

build=/tmp/vitrine-browser
meson setup --prefix=/usr "$build" /src/browser >&2
ninja -C "$build" >&2
meson test -C "$build" --print-errorlogs >&2
for program in vitrine-browser vitrine-storage-limit; do
    install -D -m 0755 -s "$build/$program" "/out/usr/bin/$program"
done
for program in run-pac read-touch; do
    install -D -m 0755 -s "$build/$program" "/out/usr/lib/vitrine/$program"
done
install -D -m 0644 -s "$build/libgiovitrine-pac.so" /out/usr/lib/vitrine/gio/libgiovitrine-pac.so
plugins=$(pkgconf --variable=pluginsdir gstreamer-1.0)
install -D -m 0644 -s "$build/libgstvitrine.so" "/out$plugins/libgstvitrine.so"
