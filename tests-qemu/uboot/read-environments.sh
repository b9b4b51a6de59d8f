#!/bin/sh
# read-environments.sh SIZE: reads each pair of copies N.0 and N.1 in the working folder with libubootenv. Prints a line
# "[N]", then NAME=VALUE lines, or "none" if it rejects both. Runs inside the builder root.
set -eu

for first in *.0; do
    name=${first%.0}
    printf '%s 0 %s\n%s 0 %s\n' "$PWD/$name.0" "$1" "$PWD/$name.1" "$1" >fw_env.config
    echo "[$name]"
    fw_printenv -c fw_env.config 2>error || echo none
done
