#!/bin/sh
# seal-root.sh TARGET_DIR: the last word on a root filesystem. Takes setuid, setgid and file capabilities from every file
# that setuid.allow does not name, then runs check-root.sh. Runs as root or under fakeroot: Buildroot calls it when users
# and modes are set (BR2_ROOTFS_POST_FAKEROOT_SCRIPT), ci/image/finish.sh at its end.
set -eu

COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
TARGET_DIR=$(cd "$1" && pwd)

"$COMMON_DIR/check-root.sh" --privileged "$TARGET_DIR" | while read -r path; do
    echo "seal-root: $path loses its setuid or setgid bit or its capabilities"
    # A copy without extended attributes: that is where capabilities are.
    cp --preserve=mode,ownership,timestamps "$TARGET_DIR$path" "$TARGET_DIR$path.sealed"
    chmod u-s,g-s "$TARGET_DIR$path.sealed"
    touch -r "$TARGET_DIR$path" "$TARGET_DIR$path.sealed"
    mv -f "$TARGET_DIR$path.sealed" "$TARGET_DIR$path"
done

"$COMMON_DIR/check-root.sh" "$TARGET_DIR"
