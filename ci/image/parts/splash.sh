#!/bin/sh
# inputs: splash
# Builds the boot and shutdown splash inside the builder root: sources from /src, program to /out/usr/bin.
set -eu

build=/tmp/vitrine-splash
meson setup --prefix=/usr "$build" /src/splash >&2
ninja -C "$build" >&2
install -D -m 0755 -s "$build/vitrine-splash" /out/usr/bin/vitrine-splash
