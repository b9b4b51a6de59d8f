#!/bin/sh
# make-key.sh OUT: a key pair that signs update bundles for development, OUT/signing.{key,pem}, and OUT/keyring.pem,
# the certificate authority that the image checks them with. Runs inside the builder root and on the computer itself:
# any OpenSSL from 1.1.1 on will do.
set -eu

cd "$1"
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A device whose clock was never set starts at the image's date, so the validity begins long before it. Of the commands
# that make certificates, only "ca" takes a beginning in every version.
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

# quietly COMMAND…: shows what openssl says only when it fails.
quietly() {
    "$@" >"$work/log" 2>&1 || {
        cat "$work/log" >&2
        exit 1
    }
}

# request KEY CSR NAME: a new key and the request for its certificate.
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
