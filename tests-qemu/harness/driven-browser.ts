import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { compiledValidators } from '../../ci/agent/validators.ts';
import { BUNDLE } from '../../ci/build-agent.ts';
import { shellQuote } from '../../ci/qemu/shell.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from './device.ts';
import { guestHttp } from './guest.ts';
import type { ScenarioContext } from './suite.ts';

/** The browser's socket in the guest. */
export const BROWSER_SOCKET = '/run/vitrine/browser.sock';
const DRIVER = fileURLToPath(new URL('browser-driver.ts', import.meta.url));
const IN_GUEST = '/run/browser-driver.mjs';
const UNIT = 'test-browser-driver';
const PORT = 8190;
const START_MS = 120_000;
const AGENT_START_MS = 180_000;

/** Puts a program of this repository that talks to the browser into the guest, as one file. */
export async function installProgram({ device, pages }: ScenarioContext, source: string, path: string) {
  const { outputFiles } = await build({
    ...BUNDLE,
    // The agent's validators are files beside it; such a program is one file and compiles its own.
    plugins: BUNDLE.plugins.filter((plugin) => plugin !== compiledValidators),
    entryPoints: [source],
    legalComments: 'none',
    write: false,
  });
  const url = pages.add(outputFiles[0]?.text ?? '');
  const download = `fetch('${url}').then((r) => r.text()).then((text) => fs.writeFileSync('${path}', text))`;
  await device.shell.ok(`node -e ${shellQuote(download)}`);
}

/** Starts the agent again after a program in its place. */
export async function restoreAgent(device: Device, path: string): Promise<void> {
  await device.shell.ok(`rm -f ${path}; systemctl start vitrine-agent`, AGENT_START_MS);
}

/** The real browser without the agent, which `browser-driver.ts` in the guest replaces until `end`. */
export class DrivenBrowser {
  readonly #device: Device;

  static async start(context: ScenarioContext): Promise<DrivenBrowser> {
    const { device } = context;
    await installProgram(context, DRIVER, IN_GUEST);
    await device.shell.ok(
      `systemctl stop vitrine-agent
      systemd-run --quiet --collect --unit=${UNIT} node ${IN_GUEST} ${BROWSER_SOCKET} ${PORT}`,
    );
    const browser = new DrivenBrowser(device);
    await waitFor(async () => (await browser.#post('keyboard', false)).status === 200, {
      timeoutMs: START_MS,
      what: 'the browser’s driver',
      intervalMs: 500,
    });
    return browser;
  }

  private constructor(device: Device) {
    this.#device = device;
  }

  /** @throws Error with what the browser answered */
  async call(
    action: 'show' | 'reload' | 'script' | 'crash' | 'keyboard' | 'notice',
    argument: unknown = null,
  ): Promise<unknown> {
    const { status, failure, bytes } = await this.#post(action, argument);
    if (status !== 200) throw new Error(`${action}: ${failure ?? bytes.toString()}`);
    return JSON.parse(bytes.toString());
  }

  /** Ends the connection to the browser, and starts the agent. */
  async end(): Promise<void> {
    await this.disconnect();
    await restoreAgent(this.#device, IN_GUEST);
  }

  /** Ends the connection to the browser. */
  async disconnect(): Promise<void> {
    await this.#device.shell.run(`systemctl stop ${UNIT}`);
  }

  async #post(action: string, json: unknown) {
    const [answer] = await guestHttp(this.#device, {}, [
      { method: 'POST', url: `http://127.0.0.1:${PORT}/${action}`, json },
    ]);
    if (!answer) throw new Error('no answer');
    return answer;
  }
}
