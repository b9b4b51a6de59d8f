import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { Firewall } from './firewall.ts';

test('writes the file before it loads the rules, and reports a failure', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vitrine-firewall-'));
  t.after(() => rm(folder, { recursive: true }));
  const loaded: string[] = [];
  let failure: Error | undefined;
  const make = () =>
    new Firewall(join(folder, 'rules'), async () => {
      loaded.push(await readFile(join(folder, 'rules/host-services.nft'), 'utf8'));
      if (failure) throw failure;
    });
  const firewall = make();
  await firewall.allowHostServices(false);
  assert.deepEqual(loaded, [], 'after a boot the rules are closed');
  await firewall.allowHostServices(true);
  failure = new Error('nft: no');
  await assert.rejects(firewall.allowHostServices(false), failure);
  assert.match(firewall.problems().join(), /could not be changed so that pages are kept from services/);
  failure = undefined;
  // A restarted agent does not know which rules are loaded.
  const next = make();
  await next.allowHostServices(false);
  assert.deepEqual(loaded, ['flush chain inet vitrine to_cable_host\n', '', '']);
  await firewall.allowHostServices(true);
  assert.deepEqual([firewall.problems(), next.problems()], [[], []]);
});
