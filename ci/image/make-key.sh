#!/bin/sh
# make-key.sh OUT: creates a key pair that signs development update bundles, OUT/signing.{key,pem}, and OUT/keyring.pem,
# the certificate of the authority with which the image verifies them. Runs inside the builder root and on the host, with
# OpenSSL 1.1.1 or newer.
set -eu

cd "$1"
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A device whose clock was never set starts at the image's date, so the validity must begin long before that. Only
# "openssl ca" supports a start date in all versions.
validity='-startdate 20200101000000Z -enddate 20600101000000Z'
cat >"$work/ca.cnf" <<END
[ca]
default_ca = authority
[authority]
new_certs_dir = $work
database = $work/index
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = supplied
commonName = supplied
[req]
distinguished_name = none
[none]
[authority_extensions]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
subjectKeyIdentifier = hash
[signer_extensions]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = emailProtection
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
END
: >"$work/index"

# quietly COMMAND…: runs openssl and shows its output only when it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
}

# request KEY CSR NAME: creates a key and a certificate signing request.
request() {
    quietly openssl req -new -config "$work/ca.cnf" -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -keyout "$1" -out "$2" -subj "/O=Vitrine/CN=$3"
}

request "$work/authority.key" "$work/authority.csr" 'Vitrine development updates'
# shellcheck disable=SC2086 # several words
quietly openssl ca -batch -notext -config "$work/ca.cnf" -selfsign -keyfile "$work/authority.key" \
    -extensions authority_extensions $validity -in "$work/authority.csr" -out keyring.pem
request signing.key "$work/signing.csr" 'Vitrine development signer'
# shellcheck disable=SC2086 # several words
quietly openssl ca -batch -notext -config "$work/ca.cnf" -cert keyring.pem -keyfile "$work/authority.key" \
    -extensions signer_extensions $validity -in "$work/signing.csr" -out signing.pem
