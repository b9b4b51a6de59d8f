import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { boardNames } from '../../lib/board-names.ts';
import { runTool } from '../../lib/tool.ts';
import { symbolsOf } from './symbols.ts';
import { EXTERNAL } from './tree.ts';

const TIMEOUT_MS = 60_000;
const OPTIONS = { skip: (await runTool('make', ['--version'], TIMEOUT_MS)).ok ? false : 'make is missing' };
let folder: string;

/** A fake of the parts of Buildroot that `configure` calls: merging files, and a Kconfig that drops `unknown` symbols. */
async function fakeBuildroot(name: string, unknown = 'BR2_NO_SUCH='): Promise<string> {
  const buildroot = join(folder, name);
  await mkdir(join(buildroot, 'support/kconfig'), { recursive: true });
  const merge = join(buildroot, 'support/kconfig/merge_config.sh');
  await writeFile(merge, '#!/bin/sh\nset -eu\nshift\ncat "$@" >"$KCONFIG_CONFIG"\n');
  await chmod(merge, 0o755);
  const rule = `alldefconfig:\n\t@grep -v -e '${unknown}' "$(KCONFIG_ALLCONFIG)" >"$(O)/.config"\n`;
  await writeFile(join(buildroot, 'Makefile'), rule);
  return buildroot;
}

function configure(...args: string[]) {
  return runTool(join(EXTERNAL, 'configure'), args, TIMEOUT_MS);
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-configure-'));
});
after(() => rm(folder, { recursive: true }));

for (const board of boardNames()) {
  test(`${board} is configured from its board.env and the users of overlay/`, OPTIONS, async () => {
    const out = join(folder, 'out', board);
    const { ok, output } = await configure(await fakeBuildroot('all'), board, out);
    assert.ok(ok, output);
    const symbols = symbolsOf(await readFile(join(out, '.config'), 'utf8'));
    assert.equal(symbols.get('BR2_ROOTFS_POST_SCRIPT_ARGS'), `"${board}"`);
    assert.match(symbols.get('BR2_TARGET_ROOTFS_EXT2_SIZE') ?? '', /^"\d+M"$/);
    assert.match(symbols.get('BR2_TARGET_ROOTFS_EXT2_MKFS_OPTIONS') ?? '', /\^has_journal/);
    // hardening.config is last, so that it overrides the other fragments.
    const kernel = symbols.get('BR2_LINUX_KERNEL_CONFIG_FRAGMENT_FILES')?.split(' ') ?? [];
    assert.match(kernel.at(-1) ?? '', /board\/common\/linux\/hardening\.config"$/);
    assert.equal(new Set(kernel).size, kernel.length);
    const users = await readFile(join(out, 'vitrine/users'), 'utf8');
    assert.match(users, /^kiosk 900 kiosk 900 \* \/var\/lib\/kiosk \/usr\/sbin\/nologin \S*\binput\b/m);
    // Buildroot refuses the home "/".
    assert.match(users, /^nfc 902 nfc 902 \* - \/usr\/sbin\/nologin -$/m);
    assert.doesNotMatch(users, /\* \/ /);
  });
}

test('a value that Kconfig drops is reported', OPTIONS, async () => {
  const { ok, output } = await configure(await fakeBuildroot('short', 'BR2_PACKAGE_CAGE='), 'virt', folder);
  assert.equal(ok, false);
  assert.match(output, /Kconfig dropped these values:\nBR2_PACKAGE_CAGE=y\n/);
});

test('an unknown board and a folder that is not Buildroot are reported', async () => {
  const buildroot = await fakeBuildroot('all');
  assert.match((await configure(buildroot, 'rpi9', folder)).output, /there is no board rpi9/);
  assert.match((await configure(folder, 'virt', folder)).output, /is not a Buildroot source folder/);
  assert.match((await configure(buildroot, 'virt')).output, /usage/);
});
