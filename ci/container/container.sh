#!/bin/sh
# container.sh FOLDER ROOTFS DATA NSPAWN_ARGUMENT…: runs a root file system of the image as a system container on this
# computer's kernel. Runs as root. Mounts, processes and network are in namespaces that end with their first process, so
# nothing of this computer is changed, and nothing is left behind even after SIGKILL.
#
#   FOLDER   of the running container: its sockets serial.sock, slirp.sock and links/*, and console.log
#   ROOTFS   ext4 file with the root file system; mounted read-only
#   DATA     ext4 file of the data partition; created if it does not exist
#
# Prints "rebooting" when the device restarts. On standard input, the line "poweroff" presses the power button, the line
# "reset" restarts the device without shutting it down, and the end ends the container at once. Exit code 0: the device has
# powered itself off.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
self=$here/container.sh

# The control group hierarchies that systemd uses: version 2, and its own one of version 1.
hierarchies() {
    sed -n -e 's/^[^ ]* \([^ ]*\) cgroup2 .*/\1/p' \
        -e 's/^[^ ]* \([^ ]*\) cgroup [^ ]*name=systemd.*/\1/p' /proc/self/mounts
}

# remove_group PATH SECONDS: removes a control group with all groups in it, if no process is left there. Tries again for so
# long, because processes that were killed stay for a moment.
remove_group() {
    tries=$(($2 * 20))
    while [ -d "$1" ]; do
        find "$1" -depth -type d -exec rmdir {} + 2>/dev/null || true
        [ $tries -gt 0 ] || return 0
        tries=$((tries - 1))
        sleep 0.05
    done
}

# enter_group NAME: moves this process into the group NAME of each hierarchy. Of version 2, the group above passes on the
# controllers that it has.
enter_group() {
    for hierarchy in $(hierarchies); do
        mkdir -p "$hierarchy/$1"
        for controller in cpu memory pids; do
            echo "+$controller" >"$hierarchy/${1%/*}/cgroup.subtree_control" || true
        done 2>/dev/null
        echo "$process" >"$hierarchy/$1/cgroup.procs"
    done
}

# Runs outside of the namespaces. The other network (slirp4netns) needs this computer's network and name servers.
outside() {
    folder=$1
    group=vitrine-$$
    for hierarchy in $(hierarchies); do
        for old in "$hierarchy"/vitrine-*; do
            [ ! -d "$old" ] || [ -d "/proc/${old##*-}" ] || remove_group "$old" 0
        done
    done
    process=$$
    enter_group "$group/supervisor"
    exec 3<&0
    unshare --mount --net --pid --ipc --fork --kill-child --mount-proc --propagation private \
        sh "$self" inside "$group" "$@" <&3 &
    child=$!
    until [ "$(readlink /proc/$child/ns/net)" != "$(readlink /proc/self/ns/net)" ]; do
        [ -d /proc/$child ] || exit 1
        sleep 0.01
    done
    rm -f "$folder/slirp.sock"
    # It also ends when standard input ends, in case this script is killed.
    (umask 0 && exec slirp4netns --mtu=1500 --exit-fd=3 --api-socket="$folder/slirp.sock" $child cable0) \
        >"$folder/slirp.log" 2>&1 &
    slirp=$!
    code=0
    wait $child || code=$?
    kill $slirp 2>/dev/null || true
    wait $slirp || true
    for hierarchy in $(hierarchies); do
        echo $$ >"$hierarchy/cgroup.procs"
        remove_group "$hierarchy/$group" 10
    done
    exit $code
}

# mount_data: checks and mounts the data partition, or makes a new one. Sets state, as the initramfs does.
mount_data() {
    state=clean
    # shellcheck source=board/common/partitions.env
    . "$here/../../board/common/partitions.env"
    if [ ! -e "$data" ]; then
        state=created
        truncate -s "${DATA_SIZE_MIB}M" "$data.new"
        # shellcheck disable=SC2086 # several words
        mke2fs -q -F $DATA_MKFS_OPTIONS "$data.new"
        mv "$data.new" "$data"
        [ -z "${SUDO_UID:-}" ] || chown "$SUDO_UID" "$data"
    else
        e2fsck -p "$data" >"$folder/e2fsck.log" 2>&1 || state=repaired
    fi
    options=loop,noatime,nosuid,nodev,errors=remount-ro
    if ! mount -o "$options,prjquota" "$data" "$folder/data" 2>/dev/null; then
        # This kernel has no project quotas.
        tune2fs -O ^quota "$data" >/dev/null
        mount -o "$options" "$data" "$folder/data"
    fi
}

# prepare_data: what the initramfs does before systemd starts: a requested factory reset, folders, machine-id. Sets id.
prepare_data() {
    mount_data
    if [ -e "$folder/data/.factory-reset" ]; then
        umount "$folder/data"
        rm "$data"
        mount_data
        state=reset
    fi
    (
        cd "$folder/data"
        mkdir -p log/journal state/systemd state/bluetooth rauc
        chmod 0700 state/bluetooth rauc
        [ -s state/machine-id ] || tr -d - </proc/sys/kernel/random/uuid >state/machine-id
    )
    read -r id <"$folder/data/state/machine-id"
    echo $state >"$folder/links/data-state"
}

# serial_line: as long as a client is connected to serial.sock, there is a pseudo-terminal for the device.
serial_line() {
    mount -t devpts -o newinstance,mode=0600,ptmxmode=0666 devpts /dev/pts
    mount -o bind /dev/pts/ptmx /dev/ptmx
    mount -o bind /dev/pts "$folder/links/pts"
    rm -f "$folder/serial.sock"
    (umask 0 && exec socat "UNIX-LISTEN:$folder/serial.sock,fork,max-children=1" \
        "EXEC:sh $self terminal $folder,pty,rawer,setsid,ctty") >"$folder/serial.log" 2>&1 &
}

# terminal FOLDER: makes the pseudo-terminal on standard input that of the device, and keeps it open until its client leaves,
# so that the device can close and open it. Its number varies: the one before is free only when the device has closed it.
terminal() {
    ln -sfn "pts/$(basename "$(tty)")" "$1/links/tty"
    exec sleep infinity
}

# Runs as the first process of the namespaces.
inside() {
    group=$1
    folder=$2
    rootfs=$3
    data=$4
    shift 4
    # What systemd-nspawn writes there must not remain.
    mount -t tmpfs -o mode=0755 tmpfs /run
    mkdir -p "$folder/root" "$folder/data" "$folder/links/pts"
    mount -o loop,ro "$rootfs" "$folder/root"
    serial_line

    trap 'exit 1' TERM
    exec 3<&0
    control <&3 &
    while :; do
        prepare_data
        start "$@" </dev/null >>"$folder/console.log" 2>&1 &
        echo $! >"$folder/nspawn.pid"
        code=0
        wait $! || code=$?
        # systemd-nspawn's exit code for a reboot
        [ $code -eq 133 ] || [ -e "$folder/reset" ] || exit $code
        rm -f "$folder/reset"
        echo rebooting
        umount "$folder/data"
    done
}

# kill_device: kills the device's first process, and thereby all others. systemd-nspawn ends then.
kill_device() {
    read -r nspawn <"$folder/nspawn.pid"
    touch "$folder/reset"
    # shellcheck disable=SC2046 # a list of process ids
    kill -s KILL $(cat "/proc/$nspawn/task/$nspawn/children") || rm -f "$folder/reset"
}

# Handles the commands. SIGTERM ends the first process, and thereby all others.
control() {
    while read -r command; do
        case $command in
            poweroff) kill -s TERM "$(cat "$folder/nspawn.pid")" 2>/dev/null || true ;;
            reset) kill_device ;;
        esac
    done
    kill -s TERM $$
}

# start NSPAWN_ARGUMENT…: runs the device.
start() {
    # $$ is not the process id of a subshell.
    process=$(sh -c 'echo $PPID')
    enter_group "$group/device"
    # This computer's screens and input devices are not the device's.
    for class in drm input cec; do
        [ ! -d /sys/class/$class ] || set -- --tmpfs="/sys/class/$class" "$@"
    done
    # The device gets control groups of version 2 also on computers that use version 1. It does not get the capabilities that
    # change what this computer's programs share with it: clock, modules, ports of the hardware.
    exec env SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 SYSTEMD_NSPAWN_API_VFS_WRITABLE=network SYSTEMD_NSPAWN_LOCK=0 systemd-nspawn \
        --quiet --register=no --keep-unit --machine=vitrine --uuid="$id" --console=pipe \
        --directory="$folder/root" --read-only --tmpfs=/tmp:mode=1777 \
        --bind="$folder/data:/data" --bind="$folder/links:/run/vitrine-host" \
        --timezone=off --resolv-conf=off --link-journal=no --network-namespace-path=/proc/self/ns/net \
        --capability=all --drop-capability=CAP_SYS_TIME,CAP_SYS_MODULE,CAP_SYS_RAWIO \
        "$@"
}

case $1 in
    inside | terminal) "$@" ;;
    *) outside "$@" ;;
esac
