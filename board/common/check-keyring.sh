#!/bin/sh
# check-keyring.sh FILE: checks the certificates and revocation lists (CRLs) that verify update bundles. Prints "true" if
# there are CRLs and RAUC must check them, else "false". Fails for a keyring with which devices would refuse every update:
# RAUC then demands a CRL of each authority, valid at the time at which the bundle was signed. docs/releasing.md ("Keys").
set -eu

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() {
    echo "check-keyring: $1" >&2
    exit 1
}

# Each block becomes a file.
awk -v folder="$work" '/^-----BEGIN /{ file = sprintf("%s/%03d", folder, ++n) } file { print > file }
    /^-----END /{ close(file); file = "" }' "$1"
for block in "$work"/[0-9]*; do
    [ -e "$block" ] || fail 'there is no certificate'
    case $(head -n 1 "$block") in
        '-----BEGIN CERTIFICATE-----')
            openssl x509 -in "$block" -noout -hash >>"$work/authorities" || fail 'a certificate cannot be read'
            mv "$block" "$work/authority-$(basename "$block")"
            ;;
        '-----BEGIN X509 CRL-----')
            openssl crl -in "$block" -noout -hash >>"$work/lists" || fail 'a CRL cannot be read'
            mv "$block" "$work/list-$(basename "$block")"
            ;;
        *) fail "unexpected $(head -n 1 "$block")" ;;
    esac
done
if [ ! -e "$work/lists" ]; then
    echo false
    exit
fi

for name in authorities lists; do
    twice=$(sort "$work/$name" | uniq -d)
    [ -z "$twice" ] || fail "two $name have the same name; only one of them would be used"
done
[ "$(sort "$work/authorities")" = "$(sort "$work/lists")" ] ||
    fail 'each authority needs one CRL, and each CRL its authority'

# seconds TEXT: a date of openssl, "notAfter=Jan  1 00:00:00 2056 GMT", in seconds.
seconds() { date -d "${1#*=}" +%s; }
for list in "$work"/list-*; do
    hash=$(openssl crl -in "$list" -noout -hash)
    for authority in "$work"/authority-*; do
        [ "$(openssl x509 -in "$authority" -noout -hash)" = "$hash" ] || continue
        openssl crl -in "$list" -noout -verify -CAfile "$authority" 2>&1 | grep -q '^verify OK' ||
            fail 'a CRL was not signed by its authority'
        if [ "$(seconds "$(openssl crl -in "$list" -noout -lastupdate)")" -gt \
            "$(seconds "$(openssl x509 -in "$authority" -noout -startdate)")" ] ||
            [ "$(seconds "$(openssl crl -in "$list" -noout -nextupdate)")" -lt \
                "$(seconds "$(openssl x509 -in "$authority" -noout -enddate)")" ]; then
            fail 'a CRL must be valid as long as its authority: devices check it at the time of signing'
        fi
    done
done
echo true
