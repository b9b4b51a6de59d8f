#!/bin/sh
# authorities.sh: creates in /out the authorities, signers and keyrings of the check, with the commands of
# docs/releasing.md ("Keys"). Runs inside the builder root.
set -eu

export AUTHORITY_PASSPHRASE=test
passphrase='-passin env:AUTHORITY_PASSPHRASE'
validity='-startdate 20260101000000Z -enddate 20560101000000Z'

# in_authority NAME COMMAND…: runs openssl in the folder of an authority, quietly unless it fails.
in_authority() {
    cd "/out/$1"
    shift
    openssl "$@" >/tmp/log 2>&1 || {
        cat /tmp/log >&2
        exit 1
    }
}
authority() {
    mkdir -p "/out/$1/issued"
    cp /src/ci/bundle/authority.cnf "/out/$1"
    : >"/out/$1/index"
    in_authority "$1" req -config authority.cnf -new -newkey ec -pkeyopt ec_paramgen_curve:P-384 \
        -passout env:AUTHORITY_PASSPHRASE -keyout authority.key -out authority.csr -subj "/O=Shop windows/CN=Updates $1"
    # shellcheck disable=SC2086 # several words
    in_authority "$1" ca -config authority.cnf -batch -notext $passphrase -selfsign \
        -extensions authority_extensions $validity -in authority.csr -out authority.pem
}
# list NAME FILE: writes the CRL of an authority.
list() {
    # shellcheck disable=SC2086 # several words
    in_authority "$1" ca -config authority.cnf $passphrase -gencrl -crl_lastupdate 20260101000000Z \
        -crl_nextupdate 20560101000000Z -out "$2"
}
# signer AUTHORITY NAME EXTENSIONS OPTION…: creates a key and its certificate.
signer() {
    signer_authority=$1 signer_name=$2 extensions=$3
    shift 3
    in_authority "$signer_authority" req -config authority.cnf -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
        -keyout "/out/$signer_name.key" -out "/tmp/$signer_name.csr" -subj "/O=Shop windows/CN=Signer $signer_name"
    # shellcheck disable=SC2086 # several words
    in_authority "$signer_authority" ca -config authority.cnf -batch -notext $passphrase -extensions "$extensions" "$@" \
        -in "/tmp/$signer_name.csr" -out "/out/$signer_name.pem"
}

authority 1
authority 2
signer 1 first signer_extensions -days 400
signer 1 second signer_extensions -days 400
signer 1 expired signer_extensions -startdate 20200101000000Z -enddate 20210101000000Z
signer 2 other signer_extensions -days 400
signer 1 middle authority_extensions -days 4000
printf '[web]\nbasicConstraints = critical,CA:FALSE\nextendedKeyUsage = serverAuth\n' >>/out/1/authority.cnf
signer 1 web web -days 400

# An authority between the first one and a signer.
mkdir -p /out/middle/issued
cp /src/ci/bundle/authority.cnf /out/middle
: >/out/middle/index
cp /out/middle.pem /out/middle/authority.pem
cp /out/middle.key /out/middle/authority.key
signer middle below signer_extensions -days 400

list 1 /out/none-revoked.pem
in_authority 1 ca -config authority.cnf -passin env:AUTHORITY_PASSPHRASE -revoke /out/first.pem -crl_reason keyCompromise
list 1 /out/first-revoked.pem
in_authority 1 ca -config authority.cnf -passin env:AUTHORITY_PASSPHRASE -gencrl -crldays 30 -out /out/short.pem
list 2 /out/other-none-revoked.pem

cd /out
cat 1/authority.pem >keyring-1
cat 2/authority.pem >keyring-2
cat 1/authority.pem 2/authority.pem >keyring-both
cat 1/authority.pem none-revoked.pem >keyring-1-list
cat 1/authority.pem first-revoked.pem >keyring-1-revoked
cat 1/authority.pem first-revoked.pem 2/authority.pem other-none-revoked.pem >keyring-both-revoked
# Keyrings that no image may have.
cat 1/authority.pem first-revoked.pem 2/authority.pem >keyring-missing-list
cat 1/authority.pem short.pem >keyring-short-list
cat 1/authority.pem none-revoked.pem first-revoked.pem >keyring-two-lists
cat 1/authority.key 1/authority.pem >keyring-with-key
: >keyring-empty
