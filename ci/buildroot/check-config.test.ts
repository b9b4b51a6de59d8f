/** board/common/check-config.sh, which every Buildroot build runs over the kernel's and U-Boot's configuration. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runTool } from '../lib/tool.ts';

const SCRIPT = fileURLToPath(new URL('../../board/common/check-config.sh', import.meta.url));
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-config-'));
});
after(() => rm(folder, { recursive: true }));

/** Writes the texts to files and checks the first file against the others. */
async function check(config: string, ...fragments: string[]): ReturnType<typeof runTool> {
  const files = [config, ...fragments].map((_, i) => join(folder, `${i}.config`));
  await Promise.all([config, ...fragments].map((text, i) => writeFile(files[i] ?? '', text)));
  return runTool('sh', [SCRIPT, ...files], 60_000);
}

test('a configuration with all requested values passes', async () => {
  const config = 'CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_TEXT="a b=c"\nCONFIG_MORE=y\n';
  const { ok, output } = await check(
    config,
    '# a comment\nCONFIG_A=y\n',
    '# CONFIG_B is not set\nCONFIG_TEXT="a b=c"\n',
  );
  assert.ok(ok, output);
});

test('a symbol that Kconfig no longer knows counts as off', async () => {
  assert.ok((await check('CONFIG_A=y\n', '# CONFIG_GONE is not set\n')).ok);
  const { ok, output } = await check('CONFIG_A=y\n', 'CONFIG_GONE=m\n');
  assert.ok(!ok);
  assert.match(output, /CONFIG_GONE is n, but .*1\.config asks for m/);
});

test('a value other than the requested one is an error', async () => {
  const { ok, output } = await check('CONFIG_A=m\nCONFIG_B=y\n', 'CONFIG_A=y\n', '# CONFIG_B is not set\n');
  assert.ok(!ok);
  assert.match(output, /CONFIG_A is m, but .*1\.config asks for y/);
  assert.match(output, /CONFIG_B is y, but .*2\.config asks for n/);
});

test('a later fragment overrides an earlier one', async () => {
  assert.ok((await check('CONFIG_A=m\n', 'CONFIG_A=y\n', 'CONFIG_A=m\n')).ok);
  assert.ok(!(await check('CONFIG_A=y\n', 'CONFIG_A=y\n', 'CONFIG_A=m\n')).ok);
});

test('a missing file is an error', async () => {
  assert.ok(!(await runTool('sh', [SCRIPT, join(folder, 'none'), join(folder, 'none')], 60_000)).ok);
  assert.ok(!(await runTool('sh', [SCRIPT], 60_000)).ok);
});
