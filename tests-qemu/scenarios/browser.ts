import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { field } from '../../testing/field.ts';
import { BROWSER_SOCKET, installProgram, restoreAgent } from '../harness/driven-browser.ts';
import { testNotice } from '../harness/notice-tests.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const PROBE = fileURLToPath(new URL('../harness/browser-probe.ts', import.meta.url));
const IN_GUEST = '/run/browser-probe.mjs';
const PROBE_MS = 210_000;
/** A probe that stops early has fewer. */
const CHECKS = 24;

/** Runs the probe in place of the agent, and starts the agent again. */
async function runProbe({ device }: ScenarioContext): Promise<string> {
  try {
    const command = `systemctl stop vitrine-agent && node ${IN_GUEST} ${BROWSER_SOCKET}`;
    return (await device.shell.run(command, PROBE_MS)).output;
  } finally {
    await restoreAgent(device, IN_GUEST);
  }
}

export default scenario({
  title:
    'the browser’s protocol: scripts, messages of pages and their devices, floods, long answers, notices',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, test } = context;
    let output = '';
    const checks = () =>
      output.split('\n').flatMap((line): unknown[] => (line.startsWith('{"name"') ? [JSON.parse(line)] : []));
    await test('the probe runs in place of the agent', async () => {
      await installProgram(context, PROBE, IN_GUEST);
      output = await runProbe(context);
      assert.equal(checks().length, CHECKS, output.slice(-4000));
    }, 600_000);
    for (const check of checks()) {
      await test(String(field(check, 'name')), async () => {
        assert.equal(field(check, 'error'), undefined, String(field(check, 'error')));
      });
    }
    await testNotice(context);
    await device.showWaiting();
  },
});
