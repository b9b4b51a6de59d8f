#!/bin/sh
# inputs: browser
# Builds the kiosk browser inside the builder root: sources from /src, program and module to /out/usr.
set -eu

build=/tmp/vitrine-browser
meson setup --prefix=/usr "$build" /src/browser >&2
ninja -C "$build" >&2
meson test -C "$build" --print-errorlogs >&2
install -D -m 0755 -s "$build/vitrine-browser" /out/usr/bin/vitrine-browser
install -D -m 0644 -s "$build/libvitrine-console.so" /out/usr/lib/vitrine/web-process/libvitrine-console.so
