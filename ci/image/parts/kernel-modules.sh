#!/bin/sh
# inputs: ci/image/kernel-modules.conf ci/image/kernel-package.sh
# packages: linux-modules-*
# The kernel's modules that kernel-modules.conf lists, and those that they depend on. They are not installed with the other
# packages: 4000 files would be written and removed again. assemble.sh makes the module index.
set -eu

# shellcheck source=ci/image/kernel-package.sh
. /src/ci/image/kernel-package.sh
release=$(cat "$build/include/config/kernel.release")
package=$(kernel_package "/tmp/linux-modules-$release"_*.deb)

work=/tmp/vitrine-kernel-modules
mkdir "$work" "$work/package"
dpkg-deb --fsys-tarfile "$package" | tar -x -C "$work/package"
cd "$work/package/usr/lib/modules/$release"
sed 's/#.*//' /src/ci/image/kernel-modules.conf | tr -s '[:blank:]' '\n' |
    sed '/^$/d; s,[.],\\&,g; s,^,^kernel/,' >"$work/wanted"
find kernel -name '*.ko*' | sort >"$work/all"
grep -f "$work/wanted" "$work/all" >"$work/new"
: >"$work/kept"
# And the modules that these depend on, until nothing is added. In module names "_" and "-" are equivalent.
while [ -s "$work/new" ]; do
    sort -o "$work/kept" "$work/kept" "$work/new"
    xargs modinfo -F depends <"$work/new" | tr , '\n' | awk -v all="$work/all" '
        { name = $0; sub(".*/", "", name); sub("[.]ko.*", "", name); gsub("-", "_", name) }
        FILENAME == all { path[name] = $0 }
        FILENAME != all && name in path { print path[name] }
    ' "$work/all" - | sort -u | comm -23 - "$work/kept" >"$work/next"
    mv "$work/next" "$work/new"
done
staging=/out/usr/lib/modules/$release
mkdir -p "$staging"
xargs cp --parents -t "$staging" <"$work/kept"
# Debian's modules are compressed and signed. The kernel would verify each signature although it also accepts unsigned
# modules; in an emulator that costs seconds at every boot, so compression and signatures are removed.
find "$staging" -name '*.ko.xz' -exec xz -d {} +
find "$staging" -name '*.ko' -exec strip --strip-debug {} +
