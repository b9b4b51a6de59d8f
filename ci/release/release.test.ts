import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseRequest } from '../bundle/make.ts';
import { signerOptions } from '../bundle/signer.ts';
import { changelogSection, releaseArguments, requireTag } from '../release.ts';

test('the section of a version ends at the next one', () => {
  const text =
    '# Changelog\n\n## Unreleased\n- new\n\n## [1.10.0] (2026-12-01)\n- ten\n\n## 1.1.0\n\n- one\n### Fixed\n- two\n';
  assert.equal(changelogSection(text, 'Unreleased'), '- new\n');
  assert.equal(changelogSection(text, '1.10.0'), '- ten\n');
  assert.equal(changelogSection(text, '1.1.0'), '- one\n### Fixed\n- two\n');
  assert.equal(changelogSection(text, '1.1'), undefined);
});

test('a request for a bundle reaches the process in the user namespace', () => {
  const request = {
    rootfs: 'r',
    cert: 'c',
    key: 'k',
    verify: 'none',
    output: 'o',
    version: '1.0.0',
    adaptive: false,
  };
  assert.deepEqual(parseRequest(JSON.stringify(request)), request);
  for (const wrong of [
    { ...request, key: undefined },
    { ...request, adaptive: 'no' },
    { ...request, version: 1 },
  ]) {
    assert.throws(() => parseRequest(JSON.stringify(wrong)), /usage/);
  }
});

test('a release names the keyring, certificate and key of the product', () => {
  const all = ['--keyring', 'k', '--cert', 'c', '--key', 'pkcs11:token=updates'];
  for (const missing of ['--keyring', '--cert', '--key']) {
    const at = all.indexOf(missing);
    assert.throws(() => releaseArguments(all.toSpliced(at, 2), {}), {
      name: 'Problem',
      message: new RegExp(missing),
    });
  }
});

test('a release is built from a clean tree with its tag', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-tag-'));
  const git = (...args: string[]): void => {
    const identity = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
    execFileSync('git', [...identity, ...args], {
      cwd: folder,
      timeout: 30_000,
      stdio: 'pipe',
      // Settings of the user, such as signing of all tags, do not apply.
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    });
  };
  try {
    git('init', '--quiet');
    writeFileSync(join(folder, 'file'), '1');
    git('add', 'file');
    git('commit', '--quiet', '-m', 'one');
    assert.throws(() => requireTag('1.0.0', folder), /no tag v1\.0\.0/);
    git('tag', 'v1.0.0');
    requireTag('1.0.0', folder);
    writeFileSync(join(folder, 'new'), '1');
    assert.throws(() => requireTag('1.0.0', folder), /changes:.*new/s);
    git('add', 'new');
    git('commit', '--quiet', '-m', 'two');
    assert.throws(() => requireTag('1.0.0', folder), /no tag v1\.0\.0/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a key in a token is reached through p11-kit, and its PIN is not in the URI', () => {
  const signer = { cert: import.meta.filename, key: 'pkcs11:token=updates;object=a' };
  const env = { P11_KIT_SERVER_ADDRESS: `unix:path=${import.meta.dirname}` };
  const { options, env: variables, files } = signerOptions(signer, env);
  assert.deepEqual(options, ['--cert=/tmp/signer.pem', `--key=${signer.key}`]);
  assert.equal(variables.P11_KIT_SERVER_ADDRESS, 'unix:path=/tmp/token');
  assert.deepEqual(files, { 'signer.pem': signer.cert, token: import.meta.dirname });
  assert.throws(() => signerOptions(signer, {}), /P11_KIT_SERVER_ADDRESS/);
  assert.throws(() => signerOptions({ ...signer, key: `${signer.key}?pin-value=1` }, env), /RAUC_PKCS11_PIN/);
  assert.throws(() => signerOptions({ ...signer, key: '/nowhere/key' }, env), /no file \/nowhere\/key/);
});
