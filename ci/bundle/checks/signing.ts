/**
 * Which bundles devices accept: the real rauc verifies real bundles, with the rules of the images. Also signs with a key
 * in a token. Needs the builder root, so it is not a unit test; `npm run test:bundles` runs it.
 */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runInBuilder } from '../../image/builder.ts';
import { makeBundle, manifest } from '../make.ts';

const SCRIPTS = '/src/ci/bundle/checks';
/** Before every signer was certified, as the clock of a device without a battery may say. */
const CLOCK_FLOOR = '2026-01-02 00:00:00';
/** After every certificate has expired. */
const FAR_FUTURE = '2080-01-01 00:00:00';

let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-signing-'));
  await runInBuilder(folder, [`${SCRIPTS}/authorities.sh`]);
  writeFileSync(join(folder, 'rootfs.ext4'), randomBytes(64 * 1024));
  for (const signer of ['first', 'second', 'expired', 'other', 'web', 'below']) {
    await makeBundle({
      rootfs: join(folder, 'rootfs.ext4'),
      compatible: 'x',
      version: '1.0.0',
      cert: join(folder, `${signer}.pem`),
      key: join(folder, `${signer}.key`),
      ...(signer === 'below' && { intermediate: join(folder, 'middle.pem') }),
      verify: 'none',
      output: join(folder, `${signer}.raucb`),
    });
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

const verify = (keyring: string, signer: string, time: string[]): Promise<string> =>
  runInBuilder(folder, [`${SCRIPTS}/verify.sh`, `keyring-${keyring}`, `${signer}.raucb`, ...time]);

const accepted: [string, string, string, string?][] = [
  ['a signer of the authority', '1', 'first'],
  ['a signer below another certificate', '1', 'below'],
  ['a signer that the CRL does not list', '1-revoked', 'second'],
  ['an empty CRL', '1-list', 'first'],
  ['the old authority beside the new one', 'both', 'first'],
  ['the new authority beside the old one', 'both', 'other'],
  ['the new authority beside the old one with CRLs', 'both-revoked', 'other'],
  ['a clock at its floor, before all signers', '1-revoked', 'second', CLOCK_FLOOR],
  ['a clock after the end of all certificates', '1-revoked', 'second', FAR_FUTURE],
];
for (const [title, keyring, signer, time] of accepted) {
  test(`accepted: ${title}`, async () => {
    const said = await verify(keyring, signer, time ? [time] : []);
    assert.match(said, /Verified inline signature by 'O = Shop windows, CN = Signer/);
  });
}

const refused: [string, string, string, RegExp][] = [
  ['a revoked signer', '1-revoked', 'first', /certificate revoked/],
  ['a revoked signer beside a new authority', 'both-revoked', 'first', /certificate revoked/],
  ['a signer of the replaced authority', '2', 'first', /unable to get local issuer certificate/],
  ['a signer of a future authority', '1', 'other', /unable to get local issuer certificate/],
  ['a signature made after the certificate’s end', '1', 'expired', /certificate has expired/],
  ['a certificate for another purpose', '1', 'web', /unsuitable certificate purpose/],
  ['a keyring without the CRL of one authority', 'missing-list', 'first', /each authority needs one CRL/],
  ['a keyring with a CRL that ends early', 'short-list', 'first', /valid as long as its authority/],
  ['a keyring with two CRLs of an authority', 'two-lists', 'first', /two lists have the same name/],
  ['a keyring with a key', 'with-key', 'first', /unexpected .*PRIVATE KEY/],
  ['an empty keyring', 'empty', 'first', /no certificate/],
];
for (const [title, keyring, signer, reason] of refused) {
  test(`refused: ${title}`, () => assert.rejects(verify(keyring, signer, []), reason));
}

test('a key in a token signs, and cannot leave it', async () => {
  mkdirSync(join(folder, 'content'));
  writeFileSync(join(folder, 'content/rootfs.ext4'), randomBytes(64 * 1024));
  writeFileSync(join(folder, 'content/manifest.raucm'), manifest({ compatible: 'x', version: '1' }, {}));
  const keys = await runInBuilder(folder, [`${SCRIPTS}/token.sh`]);
  assert.match(keys, /CKA_NEVER_EXTRACTABLE/);
  assert.match(
    await verify('1-revoked', 'bundle', []),
    /Verified inline signature by '.*CN = Signer in a token'/,
  );
});

test('compatible, version and keyring are those of the root file system', async () => {
  const tree = join(folder, 'tree/etc');
  for (const name of ['rauc', 'vitrine']) mkdirSync(join(tree, name), { recursive: true });
  const config =
    '[system]\ncompatible=shop\nbootloader=noop\n[keyring]\npath=/none\nuse-bundle-signing-time=true\n';
  writeFileSync(join(tree, 'rauc/system.conf'), config);
  copyFileSync(join(folder, 'keyring-1'), join(tree, 'rauc/keyring.pem'));
  writeFileSync(join(tree, 'vitrine/version'), '3.2.1\n');
  writeFileSync(join(tree, 'content'), randomBytes(64 * 1024));
  await runInBuilder(folder, ['mke2fs', '-q', '-t', 'ext4', '-d', 'tree', 'small.ext4', '4M']);
  const bundle = (signer: string) => ({
    rootfs: join(folder, 'small.ext4'),
    cert: join(folder, `${signer}.pem`),
    key: join(folder, `${signer}.key`),
    verify: 'image',
    output: join(folder, 'small.raucb'),
  });
  await makeBundle(bundle('second'));
  const info = await verify('1', 'small', []);
  assert.match(info, /Compatible: +'shop'\nVersion: +'3\.2\.1'/);
  assert.match(info, /Adaptive: +block-hash-index/);

  await assert.rejects(makeBundle(bundle('other')), {
    name: 'Problem',
    message: /other\.pem is not trusted by the image's keyring \(unable to get local issuer certificate\)/,
  });
  // For devices that missed the update that brought the new authority.
  await makeBundle({ ...bundle('other'), verify: join(folder, 'keyring-2') });
  const { key } = bundle('first');
  await assert.rejects(makeBundle({ ...bundle('second'), key }), {
    message: /first\.key does not belong to the certificate .*second\.pem/,
  });
});
