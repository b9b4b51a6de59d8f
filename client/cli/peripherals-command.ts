/** What is plugged into the device, and which pages may use it. */
import { USUAL_ADDRESS } from '../addresses.ts';
import type { ResponseOf } from '../contract.ts';
import type { Device } from '../device.ts';
import { type Peripheral, patchToAllow, patchToRevoke } from '../peripheral-permissions.ts';
import { UsageError } from './arguments.ts';
import { CommandError, type Context, define } from './command.ts';
import { printable } from './live-commands.ts';
import { table } from './output.ts';

type Peripherals = ResponseOf<'GET', '/device/peripherals'>;

/** Entries of a kind, of which several may match the same peripheral. */
const MOST_ENTRIES = 64;

export const peripherals = define({
  name: 'peripherals',
  args: '[allow ID --origin ORIGIN | revoke ID]',
  help: 'What is plugged in, and which pages may use it; allow a page to use it, or remove the entry that allows it',
  options: { origin: { type: 'string', value: 'ORIGIN', help: 'of the page that is allowed to use it' } },
  count: [0, 2],
  run: async (context, { origin }, [action, id]) => {
    if (action === undefined && origin === undefined) return await list(context);
    if (action === 'allow' && id !== undefined && origin !== undefined)
      return await allow(context, id, origin);
    if (action === 'revoke' && id !== undefined && origin === undefined) return await revoke(context, id);
    throw new UsageError(
      'give one of: peripherals, peripherals allow ID --origin ORIGIN, peripherals revoke ID',
    );
  },
});

async function list({ device, address, out }: Context): Promise<void> {
  const found = await (await device()).get('/device/peripherals');
  const { host_port, page_origin, peripherals: all } = found;
  if (all.length === 0) out.say(host_port ? 'Nothing is plugged in.' : 'The board has no USB host port.');
  const rows = all.map((one) => [
    one.id,
    one.kind,
    nameOf(one),
    stateOf(one),
    entryOf(one),
    one.open_by ?? '',
  ]);
  const head = ['id', 'kind', 'device', 'state', 'entry', 'open by'];
  const notes = all.flatMap((one) => notesOn(one, page_origin, address));
  const text = [table([head, ...rows.map((row) => row.map(printable))]), ...notes].join('\n');
  out.result(found, all.length === 0 ? '' : text);
}

/** Adds the entry and the origin, and enables the kind; only what is missing. */
async function allow(context: Context, id: string, origin: string): Promise<void> {
  const device = await context.device();
  const before = await find(device, id);
  if (before.state === 'protected') throw new CommandError(`no page gets ${id}: ${before.reason ?? ''}`);
  const json = patchToAllow(await device.get('/config'), before, origin);
  if (json) await device.patch('/config', { json });
  const after = await find(device, id);
  if (!after.origins.includes(origin)) {
    throw new CommandError(`pages of ${origin} may still not use ${id}: ${after.reason ?? ''}`);
  }
  context.out.result(after, `pages of ${origin} may use ${id}`);
}

/** Removes every entry that matches. */
async function revoke({ device: connect, out }: Context, id: string): Promise<void> {
  const device = await connect();
  let found = await find(device, id);
  for (let count = 0; count < MOST_ENTRIES && found.rule !== null; count++) {
    const json = patchToRevoke(await device.get('/config'), found);
    if (json) await device.patch('/config', { json });
    found = await find(device, id);
  }
  if (found.rule !== null) throw new CommandError(`other entries for ${id} are added at the same time`);
  out.result(found, `no page may use ${id}`);
}

/** @throws UsageError if nothing of that name is plugged in */
async function find(device: Device, id: string): Promise<Peripheral> {
  const { peripherals: all }: Peripherals = await device.get('/device/peripherals');
  const found = all.find((one) => one.id === id);
  if (found) return found;
  const known = all.map((one) => one.id).join(', ');
  throw new UsageError(`there is no peripheral "${id}"${known === '' ? '' : `, only ${known}`}`);
}

function nameOf({ vendor_id, product_id, manufacturer, product }: Peripheral): string {
  const ids =
    vendor_id === null || product_id === null ? undefined : [vendor_id, product_id].map(hex).join(':');
  return [ids, manufacturer, product].filter((part) => part).join(' ');
}

function hex(value: number): string {
  return value.toString(16).padStart(4, '0');
}

function stateOf({ state }: Peripheral): string {
  return state.replace('_', ' ');
}

function entryOf({ kind, rule }: Peripheral): string {
  return rule === null ? '' : `${kind}.allow[${rule}]`;
}

/** Why pages, or the displayed one, may not use it, and the command that lets them. */
function notesOn(one: Peripheral, pageOrigin: string | null, address: string): string[] {
  const { id, state, reason, origins } = one;
  const isForPage = state === 'allowed' && (pageOrigin === null || origins.includes(pageOrigin));
  if (isForPage) return [];
  const why = reason ?? `The displayed page, of ${pageOrigin}, is not in devices.origins.`;
  const note = `\n${printable(`${id}: ${why}`)}`;
  if (state === 'protected') return [note];
  const host = address === USUAL_ADDRESS ? [] : ['--host', address];
  const words = ['vitrine', ...host, 'peripherals', 'allow', id, '--origin', pageOrigin ?? 'ORIGIN'];
  return [note, `  ${printable(words.map(shellWord).join(' '))}`];
}

/** A page chooses its origin, and hosts may contain what a shell would run. */
function shellWord(word: string): string {
  return /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
