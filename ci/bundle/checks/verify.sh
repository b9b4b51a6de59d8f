#!/bin/sh
# verify.sh KEYRING BUNDLE [TIME]: verifies a bundle with the rules of the images, at a time of the device's clock. Prints
# what rauc says. Runs inside the builder root.
set -eu

check_crl=$(/src/board/common/check-keyring.sh "$1")
printf '[system]\ncompatible=x\nbootloader=noop\n' >/tmp/system.conf
sed -n '/^\[keyring\]/,/^$/p' /src/board/common/templates/rauc-system.conf |
    sed "s/^check-crl=.*/check-crl=$check_crl/; s,^path=.*,path=/out/$1," >>/tmp/system.conf
exec faketime "${3:-now}" rauc --conf=/tmp/system.conf info "$2" 2>&1
