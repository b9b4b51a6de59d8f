# For the parts that need a package of the image's kernel. Sets `build`, the folder of its headers in the builder root.
# shellcheck shell=sh

fail() {
    echo "$(basename "$0"): $1" >&2
    exit 1
}

set -- /lib/modules/*/build
if [ $# -ne 1 ] || [ ! -e "$1/Makefile" ]; then
    fail 'expected the headers of exactly one kernel in /lib/modules'
fi
build=$1

# kernel_package FILE…: prints the package of this kernel. There may be others, left by an older index.
kernel_package() {
    version=$(sed -n 's/^#define LINUX_PACKAGE_ID " Debian \(.*\)"$/\1/p' "$build/include/generated/package.h")
    for each in "$@"; do
        if [ "$(dpkg-deb -f "$each" Version)" = "$version" ]; then
            echo "$each"
            return
        fi
    done
    fail "none of these packages is of kernel $version: $*"
}
