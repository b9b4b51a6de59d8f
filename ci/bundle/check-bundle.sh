#!/bin/sh
# check-bundle.sh: verifies /out/bundle.raucb as a device does, with its settings /out/system.conf, but with the
# certificates of /out/keyring.pem. Fails if the device would refuse the signature. Runs inside the builder root.
set -eu

rauc --conf=system.conf -C keyring:path=/out/keyring.pem -C system:data-directory=/tmp/rauc info bundle.raucb
