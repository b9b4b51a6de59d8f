#!/bin/sh
# npm-licenses.sh PROJECT OUT: copies the license texts of PROJECT's npm packages to OUT, without development
# dependencies.
set -eu

project=$1 out=$2
cd "$project"
npm query --package-lock-only .prod | sed -n 's/^ *"location": "\(.*\)",$/\1/p' | while read -r package; do
    if [ ! -d "$package" ] || [ "$package" = '' ]; then continue; fi # package for another platform
    find "$package" -maxdepth 1 -type f -iname 'licen[cs]e*' | while read -r text; do
        mkdir -p "$out/$package"
        cp "$text" "$out/$package"
    done
done
