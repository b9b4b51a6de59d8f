#!/bin/sh
# make-key.sh OUT: a key pair that signs update bundles for development, OUT/signing.{key,pem}, and OUT/keyring.pem,
# the certificate authority that the image checks them with. Runs inside the builder root.
set -eu

cd "$1"
umask 077

# A device whose clock was never set starts at the image's date, so the validity begins long before it.
validity='-not_before 20200101000000Z -not_after 20600101000000Z'

# shellcheck disable=SC2086 # several words
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes $validity -keyout /tmp/authority.key \
    -out keyring.pem -subj '/O=Vitrine/CN=Vitrine development updates' \
    -addext 'basicConstraints=critical,CA:TRUE' -addext 'keyUsage=critical,keyCertSign,cRLSign' 2>/tmp/log ||
    { cat /tmp/log >&2; exit 1; }
openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout signing.key -out /tmp/signing.csr \
    -subj '/O=Vitrine/CN=Vitrine development signer' 2>/tmp/log || { cat /tmp/log >&2; exit 1; }
cat >/tmp/extensions <<EOF
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=emailProtection
subjectKeyIdentifier=hash
authorityKeyIdentifier=keyid
EOF
# shellcheck disable=SC2086 # several words
openssl x509 -req -in /tmp/signing.csr -CA keyring.pem -CAkey /tmp/authority.key $validity \
    -extfile /tmp/extensions -out signing.pem 2>/tmp/log || { cat /tmp/log >&2; exit 1; }
