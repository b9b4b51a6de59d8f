#!/bin/sh
# token.sh: creates a signer's key in a token, certifies it with authority 1 of authorities.sh, and signs the bundle of
# /out/content with it, through p11-kit as signer.ts does. Runs inside the builder root.
set -eu

export SOFTHSM2_CONF=/out/softhsm2.conf GNUTLS_PIN=1234 RAUC_PKCS11_PIN=1234 XDG_RUNTIME_DIR=/tmp
module=/usr/lib/softhsm/libsofthsm2.so
mkdir -p /out/tokens
echo 'directories.tokendir = /out/tokens' >"$SOFTHSM2_CONF"
softhsm2-util --init-token --free --label updates --so-pin 8888 --pin 1234 >&2
p11tool --provider "$module" --login --generate-privkey=ecdsa --curve=secp256r1 --label signer --id 01 \
    'pkcs11:token=updates' >&2
p11tool --provider "$module" --login --list-privkeys 'pkcs11:token=updates'
printf 'organization = "Shop windows"\ncn = "Signer in a token"\n' >/tmp/request
certtool --generate-request --provider "$module" --load-privkey 'pkcs11:token=updates;object=signer;type=private' \
    --load-pubkey 'pkcs11:token=updates;object=signer;type=public' --hash SHA256 --template /tmp/request \
    --outfile /tmp/token.csr >&2
(cd /out/1 && openssl ca -config authority.cnf -batch -notext -passin pass:test -extensions signer_extensions -days 400 \
    -in /tmp/token.csr -out /out/token.pem)

p11-kit server --provider "$module" 'pkcs11:token=updates' >/tmp/server
eval "$(cat /tmp/server)"
trap 'kill $P11_KIT_SERVER_PID' EXIT
export RAUC_PKCS11_MODULE=/usr/lib/x86_64-linux-gnu/pkcs11/p11-kit-client.so
/src/ci/bundle/make-bundle.sh 1 --cert=/out/token.pem '--key=pkcs11:token=updates;object=signer'
