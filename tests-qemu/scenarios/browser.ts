import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compiledValidators } from '../../ci/agent/validators.ts';
import { BUNDLE } from '../../ci/build-agent.ts';
import { shellQuote } from '../../ci/qemu/shell.ts';
import { field } from '../../testing/field.ts';
import { type ScenarioContext, scenario } from '../harness/suite.ts';

const PROBE = fileURLToPath(new URL('../harness/browser-probe.ts', import.meta.url));
const IN_GUEST = '/run/browser-probe.mjs';
const PROBE_MS = 210_000;
/** A probe that stops early has fewer. */
const CHECKS = 17;

/** Puts the probe into the guest, as one file. */
async function install({ device, pages }: ScenarioContext): Promise<void> {
  const { outputFiles } = await build({
    ...BUNDLE,
    // The agent's validators are files beside it; the probe is one file and compiles its own.
    plugins: BUNDLE.plugins.filter((plugin) => plugin !== compiledValidators),
    entryPoints: [PROBE],
    legalComments: 'none',
    write: false,
  });
  const url = pages.add(outputFiles[0]?.text ?? '');
  const download = `fetch('${url}').then((r) => r.text()).then((text) => fs.writeFileSync('${IN_GUEST}', text))`;
  await device.shell.ok(`node -e ${shellQuote(download)}`);
}

/** Runs the probe in place of the agent, and starts the agent again. */
async function runProbe({ device }: ScenarioContext): Promise<string> {
  try {
    const command = `systemctl stop vitrine-agent && node ${IN_GUEST} /run/vitrine/browser.sock`;
    return (await device.shell.run(command, PROBE_MS)).output;
  } finally {
    await device.shell.ok(`rm -f ${IN_GUEST}; systemctl start vitrine-agent`, 180_000);
  }
}

export default scenario({
  title: 'the browser’s protocol: scripts, messages of pages, floods and long answers',
  needs: 'system',
  machine: 'shared',
  run: async (context) => {
    const { device, test } = context;
    let output = '';
    const checks = () =>
      output.split('\n').flatMap((line): unknown[] => (line.startsWith('{"name"') ? [JSON.parse(line)] : []));
    await test('the probe runs in place of the agent', async () => {
      await install(context);
      output = await runProbe(context);
      assert.equal(checks().length, CHECKS, output.slice(-4000));
    }, 600_000);
    for (const check of checks()) {
      await test(String(field(check, 'name')), async () => {
        assert.equal(field(check, 'error'), undefined, String(field(check, 'error')));
      });
    }
    await device.showWaiting();
  },
});
