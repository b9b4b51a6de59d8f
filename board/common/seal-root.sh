#!/bin/sh
# seal-root.sh TARGET_DIR: removes setuid and setgid bits and file capabilities from every file that setuid.allow does not
# name, then runs check-root.sh. The last step of building a root filesystem. Must run as root or under fakeroot:
# Buildroot calls it after users and modes are set (BR2_ROOTFS_POST_FAKEROOT_SCRIPT), ci/image/finish.sh at its end.
set -eu

COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
TARGET_DIR=$(cd "$1" && pwd)

"$COMMON_DIR/check-root.sh" --privileged "$TARGET_DIR" | while read -r path; do
    echo "seal-root: $path loses its setuid or setgid bit or its capabilities"
    # Copy without extended attributes, which contain the capabilities.
    cp --preserve=mode,ownership,timestamps "$TARGET_DIR$path" "$TARGET_DIR$path.sealed"
    chmod u-s,g-s "$TARGET_DIR$path.sealed"
    touch -r "$TARGET_DIR$path" "$TARGET_DIR$path.sealed"
    mv -f "$TARGET_DIR$path.sealed" "$TARGET_DIR$path"
done

"$COMMON_DIR/check-root.sh" "$TARGET_DIR"
