#!/bin/sh
# make-key.sh OUT: creates a key pair that signs development update bundles, OUT/signing.{key,pem}, and OUT/keyring.pem,
# the certificate of the authority with which the image verifies them. Runs inside the builder root and on the host, with
# OpenSSL 1.1.1 or newer.
set -eu

out=$(cd "$1" && pwd)
settings=$(cd "$(dirname "$0")/../bundle" && pwd)/authority.cnf
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A device whose clock was never set starts at the image's date, so the validity must begin long before that. Only
# "openssl ca" supports a start date in all versions.
validity='-startdate 20200101000000Z -enddate 20600101000000Z'
cd "$work"
mkdir issued
: >index

# quietly COMMAND…: runs openssl and shows its output only when it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
}

# request KEY CSR NAME: creates a key and a certificate signing request.
request() {
    quietly openssl req -new -config "$settings" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -keyout "$1" -out "$2" -subj "/O=Vitrine/CN=$3"
}
# certify EXTENSIONS CSR CERTIFICATE OPTION…
certify() {
    extensions=$1 csr=$2 certificate=$3
    shift 3
    # shellcheck disable=SC2086 # several words
    quietly openssl ca -batch -notext -config "$settings" -extensions "$extensions" $validity "$@" \
        -in "$csr" -out "$certificate"
}

request authority.key authority.csr 'Vitrine development updates'
certify authority_extensions authority.csr authority.pem -selfsign
request signing.key signing.csr 'Vitrine development signer'
certify signer_extensions signing.csr signing.pem
cp signing.key signing.pem "$out"
cp authority.pem "$out/keyring.pem"
