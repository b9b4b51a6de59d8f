#!/bin/sh
# check-config.sh CONFIG FRAGMENT…: checks that CONFIG, the final configuration of a kernel or U-Boot, has all values of
# the fragments. Kconfig silently drops unknown symbols and those with unmet dependencies. A later fragment overrides an
# earlier one. Buildroot runs this in every build (external.mk). Prints the lost values and exits with 1.
set -eu

if [ $# -lt 2 ]; then
    echo "usage: $0 CONFIG FRAGMENT..." >&2
    exit 2
fi
config=$1
shift
cat "$config" >/dev/null
cat "$@" >/dev/null

awk '
    function symbol(line) { sub(/^# /, "", line); sub(/[= ].*/, "", line); return line }
    function value(line) { return line ~ /^#/ ? "n" : substr(line, index(line, "=") + 1) }
    !/^CONFIG_[A-Za-z0-9_]+=/ && !/^# CONFIG_[A-Za-z0-9_]+ is not set$/ { next }
    FILENAME == config { has[symbol($0)] = value($0); next }
    { wanted[symbol($0)] = value($0); from[symbol($0)] = FILENAME }
    END {
        for (name in wanted) {
            got = name in has ? has[name] : "n"
            if (got == wanted[name]) continue
            print config ": " name " is " got ", but " from[name] " asks for " wanted[name]
            lost = 1
        }
        exit lost
    }
' config="$config" "$config" "$@" >&2
