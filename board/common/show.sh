#!/bin/sh
# show.sh BOARD [TEMPLATE]: prints the definitions of BOARD as lines NAME=VALUE; with TEMPLATE (a path in board/common,
# such as boot.cmd) prints that file rendered.
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
