import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { CecTelevision } from './cec.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-cec-'));
  await mkdir(join(folder, 'drm/card1-HDMI-A-2'), { recursive: true });
  await writeFile(join(folder, 'drm/card1-HDMI-A-2/connector_id'), '41\n');
});

afterEach(() => rm(folder, { recursive: true }));

/** "Driver Info" of cec-ctl, as far as it is used. */
const info = (physicalAddress: string, connector?: string) => `
	Driver Name                : vc4_hdmi
	DRM Connector Info         : ${connector ?? 'none'}
	Physical Address           : ${physicalAddress}
	Logical Address Mask       : 0x0010`;

/**
 * The television of a device with these adapters: what cec-ctl prints for each, undefined if it fails. Only the
 * television of adapter `on` is on.
 */
async function televisionOf(adapters: readonly (string | undefined)[], on: number): Promise<CecTelevision> {
  const cases = adapters.map(async (printed, number) => {
    await writeFile(join(folder, `cec${number}`), '');
    const power = number === on ? 'on' : 'standby';
    const answer = printed === undefined ? 'exit 1' : `cat <<END\n${printed}\npwr-state: ${power}\nEND\n`;
    return `*/cec${number}) ${answer};;`;
  });
  const script = `#!/bin/sh\ncase "$2" in\n${(await Promise.all(cases)).join('\n')}\nesac\n`;
  await writeFile(join(folder, 'cec-ctl'), script, { mode: 0o755 });
  return new CecTelevision({ command: join(folder, 'cec-ctl'), devices: folder, drm: join(folder, 'drm') });
}

test('the adapter of the output is used, whatever the others are', async () => {
  const ofOthers = [info('1.0.0.0', 'card 1, connector 40'), info('1.0.0.0', 'card 0, connector 41')];
  const others = [undefined, ...ofOthers, 'nonsense', info('1.0.0.0')];
  const own = info('2.0.0.0', 'card 1, connector 41');
  const television = await televisionOf([...others, own, info('3.0.0.0')], 5);
  assert.deepEqual(await television.read('HDMI-A-2'), { state: 'plugged', power: 'on' });
});

test('an adapter without an output serves one that has none of its own, but not that of an input', async () => {
  const input = info('0.0.0.0');
  const ofOther = info('1.0.0.0', 'card 1, connector 40');
  const television = await televisionOf([input, ofOther, info('1.0.0.0')], 2);
  assert.deepEqual(await television.read('HDMI-A-2'), { state: 'plugged', power: 'on' });
  await rm(join(folder, 'cec2'));
  assert.deepEqual(await television.read('HDMI-A-2'), { state: 'no_cec' });
});

test('a broken adapter is an error if there is no other', async () => {
  const television = await televisionOf([undefined, info('1.0.0.0', 'card 1, connector 40')], 1);
  await assert.rejects(television.read('HDMI-A-2'), /cec-ctl/);
});
