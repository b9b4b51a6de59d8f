#!/bin/sh
# inputs: native
# Builds the small C programs inside the builder root: sources from /src, programs to /out/usr.
set -eu

build=/tmp/vitrine-native
meson setup --prefix=/usr "$build" /src/native >&2
ninja -C "$build" >&2
for program in vitrine-splash vitrine-storage-limit; do
    install -D -m 0755 -s "$build/$program" "/out/usr/bin/$program"
done
for program in run-pac read-touch virtual-input; do
    install -D -m 0755 -s "$build/$program" "/out/usr/lib/vitrine/$program"
done
install -D -m 0644 -s "$build/libgiovitrine-pac.so" /out/usr/lib/vitrine/gio/libgiovitrine-pac.so
plugins=$(pkgconf --variable=pluginsdir gstreamer-1.0)
install -D -m 0644 -s "$build/libgstvitrine.so" "/out$plugins/libgstvitrine.so"
