#!/bin/sh
# inputs: agent/native-modules/package-lock.json
# npm: agent/native-modules
# Compiles the npm packages i2c-bus and spi-device against the device's Node, inside the builder root. They are installed
# beside the agent, where Node finds them.
set -eu

modules=/src/agent/native-modules/node_modules
target=/out/usr/lib/vitrine/node_modules

# compile PACKAGE MODULE: as its binding.gyp says, which needs only one command.
compile() {
    mkdir -p "$target/$1/build/Release"
    cp "$modules/$1"/*.js "$modules/$1/package.json" "$modules/$1/LICENSE" "$target/$1/"
    for source in "$modules/$1"/src/*.cc; do
        # i2c.cc includes the other files.
        if [ "$1" = i2c-bus ] && [ "${source##*/}" != i2c.cc ]; then continue; fi
        set -- "$@" "$source"
    done
    package=$1 module=$2
    shift 2
    g++ -std=c++20 -O2 -g0 -shared -fPIC -s -w -fvisibility=hidden -fno-exceptions -fno-rtti \
        -D_FILE_OFFSET_BITS=64 -DBUILDING_NODE_EXTENSION -DNODE_GYP_MODULE_NAME="$module" \
        -I/usr/include/node -I"$modules/nan" "$@" -o "$target/$package/build/Release/$module.node"
}

compile i2c-bus i2c
compile spi-device spi
for package in bindings file-uri-to-path; do
    mkdir -p "$target/$package"
    cp "$modules/$package"/*.js "$modules/$package/package.json" "$modules/$package"/LICENSE* "$target/$package/"
done
