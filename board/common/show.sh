#!/bin/sh
# show.sh BOARD [TEMPLATE]: what is defined for BOARD, a line NAME=VALUE each; with TEMPLATE (a path below board/common,
# such as boot.cmd) that file, rendered.
set -eu

COMMON_DIR=$(cd "$(dirname "$0")" && pwd)
BOARD_DIR=$(dirname "$COMMON_DIR")/$1
# shellcheck source=board/common/render.sh
. "$COMMON_DIR/render.sh"

if [ $# -gt 1 ]; then
    rendered=$(mktemp)
    trap 'rm -f "$rendered"' EXIT
    render "$COMMON_DIR/$2" "$rendered"
    cat "$rendered"
    exit
fi
for name in $RENDERED; do
    eval "value=\$$name"
    # shellcheck disable=SC2154 # set by eval
    echo "$name=$value"
done
