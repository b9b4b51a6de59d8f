/** The commands that show, store and change something. */
import { writeFile } from 'node:fs/promises';
import { text as textOf } from 'node:stream/consumers';
import { isBundleName } from '../bundle/bundle-name.ts';
import { requireSuccess } from '../client.ts';
import { push as pushBundle, withFile } from '../folder.ts';
import { UsageError } from './arguments.ts';
import { type Context, define } from './command.ts';
import { table } from './output.ts';

/** Each part may take half a minute. */
const DIAGNOSTICS_MS = 10 * 60_000;

const show = define({
  name: 'show',
  args: 'URL|BUNDLE|waiting',
  help: 'Show a page, a stored bundle or the waiting page, and wait until it is on the screen',
  count: [1, 1],
  run: async ({ device, out, signal }, _values, [target = '']) => {
    const shown = await (await device()).show(targetOf(target), { signal });
    out.result(shown, `${target} is on the screen`);
  },
});

/** A name is a bundle; anything else is an address, of HTTP if it does not say. */
function targetOf(text: string): { url: string } | { bundle: string } | 'waiting' {
  if (text === 'waiting') return 'waiting';
  if (isBundleName(text)) return { bundle: text };
  return { url: /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}` };
}

const push = define({
  name: 'push',
  args: 'FOLDER|ZIP',
  help: 'Store a folder or zip archive as a bundle',
  options: {
    name: { type: 'string', value: 'NAME', help: 'of the bundle (default: after the folder or file)' },
    show: { type: 'boolean', help: 'show it, and wait until it is on the screen' },
  },
  count: [1, 1],
  run: async ({ device, out, signal }, { name, show: isShown = false }, [path = '']) => {
    const stored = await pushBundle(await device(), path, {
      ...(name !== undefined && { name }),
      ...{ show: isShown, signal },
      onProgress: (sent, total) => out.progress('sending', total === 0 ? 1 : sent / total),
    });
    out.result({ name: stored, shown: isShown }, `${stored} is ${isShown ? 'on the screen' : 'stored'}`);
  },
});

const screenshot = define({
  name: 'screenshot',
  args: '[FILE]',
  help: 'Write what the screen shows to a PNG file (default: screenshot.png; -: standard output)',
  count: [0, 1],
  run: async ({ device, out }, _values, [file = 'screenshot.png']) => {
    const png = await (await device()).download('/display/screenshot');
    if (file === '-') process.stdout.write(png);
    else {
      await writeFile(file, png);
      out.result({ file, bytes: png.length }, `${file} (${png.length} bytes)`);
    }
  },
});

const config = define({
  name: 'config',
  args: 'get [FIELD] | set FIELD VALUE | reset FIELD',
  help: 'Read or change the configuration: config set display.rotation 90',
  count: [1, 3],
  run: async (context, _values, [action = '', field = '', ...values]) => {
    if (action === 'get' && values.length === 0) return await getConfig(context, field);
    const [text, ...others] = values;
    if (action === 'set' && text !== undefined && others.length === 0)
      return await change(context, field, jsonOrText(text));
    if (action === 'reset' && field !== '' && values.length === 0) return await change(context, field, null);
    throw new UsageError('give one of: config get [FIELD], config set FIELD VALUE, config reset FIELD');
  },
});

async function getConfig({ device, out }: Context, field: string): Promise<void> {
  const whole: unknown = await (await device()).get('/config');
  const keys = field === '' ? [] : field.split('.');
  out.result(
    keys.reduce<unknown>((value, key) => {
      if (typeof value === 'object' && value !== null && Object.hasOwn(value, key))
        return Reflect.get(value, key);
      throw new UsageError(`the configuration has no ${field}`);
    }, whole),
  );
}

/** @param value null: back to the default */
async function change({ device, out }: Context, field: string, value: unknown): Promise<void> {
  const json = field.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
  const answer = await (await device()).request('PATCH', '/config', { json });
  const { body } = requireSuccess('PATCH', '/config', answer);
  const applied: unknown = typeof body === 'object' && body !== null && 'applied' in body ? body.applied : {};
  const lines = Object.entries(Object(applied)).map(
    ([name, when]) => `${name}: ${when === 'live' ? 'in effect' : 'in effect after a restart'}`,
  );
  out.result(body, lines.join('\n') || 'nothing has changed');
}

/** JSON, or else a text. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const js = define({
  name: 'js',
  args: 'SCRIPT|-',
  help: 'Run JavaScript in the displayed page, and print its value (-: from standard input)',
  count: [1, 1],
  run: async ({ device, out }, _values, [given = '']) => {
    const script = given === '-' ? await textOf(process.stdin) : given;
    const { result } = await (await device()).post('/display/execute-js', { json: { script } });
    out.result(result);
  },
});

const update = define({
  name: 'update',
  args: '[FILE]',
  help: 'Install an update bundle',
  options: {
    wait: {
      type: 'boolean',
      help: 'start it, too, and wait until it is confirmed or given up; without FILE, the one that is installed',
    },
  },
  count: [0, 1],
  run: async ({ device, out, signal }, { wait = false }, [path]) => {
    if (path === undefined && !wait) throw new UsageError('give the file of an update, or --wait');
    const connected = await device();
    const steps = { send: 'sending', install: 'installing', restart: 'restarting' };
    const options = {
      signal,
      onStep: (step: keyof typeof steps, done: number) => out.progress(steps[step], done),
    };
    if (path !== undefined) await withFile(path, (file) => connected.installUpdate(file, options));
    const status = wait ? await connected.applyUpdate(options) : await connected.get('/update');
    out.result(
      status,
      wait
        ? `version ${status.last_result?.version} runs in slot ${status.active_slot}`
        : `version ${status.pending} is installed; it starts with: vitrine update --wait`,
    );
  },
});

const wifi = define({
  name: 'wifi',
  args: '[scan | join SSID]',
  help: 'State of Wi-Fi, the networks in range, or join one; the passphrase is read from standard input',
  count: [0, 2],
  run: async ({ device, out, signal }, _values, [action = '', ssid = '']) => {
    const connected = await device();
    if (action === '') return out.result(await connected.get('/wifi'));
    if (action === 'scan' && ssid === '') {
      const found = await connected.post('/wifi/scan');
      const rows = found.map((one) => [
        one.ssid,
        one.security,
        `${one.signal_dbm} dBm`,
        `${one.frequency_mhz} MHz`,
      ]);
      return out.result(found, table([['network', 'security', 'signal', 'frequency'], ...rows]));
    }
    if (action !== 'join' || ssid === '')
      throw new UsageError('give one of: wifi, wifi scan, wifi join SSID');
    if (process.stdin.isTTY)
      out.say(`passphrase of ${ssid} (empty for an open network), then Enter and Ctrl-D:`);
    const psk = (await textOf(process.stdin)).replace(/\r?\n$/, '');
    const before = await connected.get('/wifi/networks');
    const networks = [...before.filter((one) => one.ssid !== ssid), { ssid, psk, priority: 0 }];
    await connected.patch('/config', { json: { wifi: { networks } } });
    const joining = connected.post('/wifi/connect', { json: { ssid }, signal });
    // A network that could not be joined is not kept.
    const status = await joining.catch(async (error: unknown) => {
      await connected.patch('/config', { json: { wifi: { networks: before } } });
      throw error;
    });
    out.result(status, `joined ${ssid}`);
  },
});

const diagnostics = define({
  name: 'diagnostics',
  args: '[FILE]',
  help: 'Write an archive for support: state, log and picture, without passwords (default: vitrine-SERIAL.zip)',
  options: { 'no-picture': { type: 'boolean', help: 'without what the screen shows' } },
  count: [0, 1],
  run: async ({ device, out, signal }, { 'no-picture': isWithout = false }, [path]) => {
    const connected = await device();
    const file =
      path ?? `vitrine-${(await connected.get('/device')).serial.replaceAll(/[^\w.-]+/g, '-')}.zip`;
    const query = { picture: isWithout ? 'no' : 'yes' } as const;
    const archive = await connected.download('/device/diagnostics', {
      query,
      signal,
      timeoutMs: DIAGNOSTICS_MS,
    });
    await writeFile(file, archive);
    out.result({ file, bytes: archive.length }, `${file} (${archive.length} bytes)`);
  },
});

export const COMMANDS = [show, push, screenshot, config, js, update, wifi, diagnostics];
