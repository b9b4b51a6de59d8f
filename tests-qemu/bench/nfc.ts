/** NFC compared with the reader library alone on the same bus, and the memory of agent and reader program. */
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type Figure, median } from '../../ci/bench/measure.ts';
import { bundleForGuest } from '../../ci/lab/program.ts';
import { BUS, type LabTag, NfcLab } from '../../ci/nfc/nfc-lab.ts';
import { served } from '../../ci/qemu/served.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { configureNfc, isProgramActive, MESSAGE, waitForReader } from '../harness/nfc-device.ts';

const ROUNDS = 5;
const TAGS = 12;
const APDUS = 60;
const WAIT_MS = 120_000;
const PROGRAM = '/run/nfc-bench.mjs';
const OUTPUT = '/run/nfc-bench.out';
/** The native modules of the device. */
const MODULES = '/usr/lib/vitrine/node_modules';
const Times = Type.Array(Type.Number());

type Who = 'ours' | 'peer';

/** Starts nfc-guest.ts on the device and gives its times when `meanwhile` is done. */
async function measured(
  { shell }: Device,
  who: Who,
  what: 'tags' | 'apdus',
  meanwhile: () => Promise<void>,
): Promise<number[]> {
  const count = what === 'tags' ? TAGS : APDUS;
  const command = `NODE_PATH=${MODULES} node ${PROGRAM} ${who} ${what} ${count} ${BUS}`;
  await shell.ok(`(${command}; echo ended) >${OUTPUT} 2>&1 &`);
  await waitFor(async () => (await shell.run(`grep -q -e ready -e ended ${OUTPUT}`)).code === 0, {
    timeoutMs: WAIT_MS,
    what: 'the program of the benchmark',
  });
  await meanwhile();
  const output = await shell.ok(
    `until grep -q ended ${OUTPUT}; do sleep 0.1; done; grep -v ended ${OUTPUT}`,
    WAIT_MS,
  );
  const times: unknown = JSON.parse(output.trim().split('\n').at(-1) ?? '');
  if (!Value.Check(Times, times))
    throw new Error(`the program on the device printed ${output.slice(0, 500)}`);
  return times;
}

/** Lets one of both use the bus: the API, or nothing of the device. */
async function use(device: Device, who: Who): Promise<void> {
  if (who === 'ours') {
    await configureNfc(device, {
      enabled: true,
      backend: 'pn532-i2c',
      i2c: { bus: BUS },
      poll: { interval_ms: 50 },
    });
    await waitForReader(device, () => true, true);
    return;
  }
  await configureNfc(device, { enabled: false });
  await waitFor(async () => !(await isProgramActive(device)), { timeoutMs: WAIT_MS, what: 'NFC to end' });
}

/** From a tag that is put on the reader until its message is known. @returns the median, in ms */
async function tagLatency(device: Device, lab: NfcLab, who: Who): Promise<number> {
  await use(device, who);
  const put: number[] = [];
  const known = await measured(device, who, 'tags', async () => {
    for (let n = 0; n < TAGS; n += 1) {
      const tag = await lab.tag({ kind: 'ntag213', ndef: MESSAGE.toString('hex') });
      put.push(await tag.put('i2c'));
      // At another moment between two looks for tags each time, and long enough that it is seen to have come and gone.
      await new Promise((resolve) => setTimeout(resolve, 1000 + 17 * n));
      await tag.take('i2c');
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  });
  return median(known.map((time, index) => time - (put[index] ?? Number.NaN)));
}

/** One APDU and its answer. @returns the median, in ms */
async function apduTime(device: Device, card: LabTag, who: Who): Promise<number> {
  await use(device, who);
  const times = await measured(device, who, 'apdus', async () => void (await card.put('i2c')));
  await card.take('i2c');
  return median(times);
}

/** Resident memory of the main process of a unit, in MiB. */
async function memory({ shell }: Device, unit: string): Promise<number> {
  const kib = await shell.ok(`awk '/^VmRSS/ { print $2 }' /proc/$(systemctl show -P MainPID ${unit})/status`);
  return Number(kib) / 1024;
}

/** Measures in turn; who is first changes. */
async function inTurn(work: (who: Who) => Promise<number>): Promise<Record<Who, number[]>> {
  const found: Record<Who, number[]> = { ours: [], peer: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? (['ours', 'peer'] as const) : (['peer', 'ours'] as const);
    for (const who of order) found[who].push(await work(who));
  }
  return found;
}

export async function nfcFigures(device: Device): Promise<Figure[]> {
  const before = await memory(device, 'vitrine-agent');
  const lab = await NfcLab.plug(device.shell);
  try {
    await served(await bundleForGuest(new URL('./nfc-guest.ts', import.meta.url)), (url) =>
      device.shell.ok(`busybox wget -q -O ${PROGRAM} ${url}`),
    );
    await use(device, 'ours');
    const [agent, program] = [await memory(device, 'vitrine-agent'), await memory(device, 'vitrine-nfc')];
    const tags = await inTurn((who) => tagLatency(device, lab, who));
    const card = await lab.tag({ kind: 'card' });
    const apdus = await inTurn((who) => apduTime(device, card, who));
    const name = 'reader library alone';
    return [
      { name: 'agent’s memory, NFC off', ours: [before], unit: 'MiB' },
      { name: 'agent’s memory, NFC on', ours: [agent], unit: 'MiB' },
      { name: 'reader program’s memory', ours: [program], unit: 'MiB' },
      {
        name: 'tag put on the reader until known',
        ours: tags.ours,
        unit: 'ms',
        peer: { name, values: tags.peer },
        aim: { of: 'ratio', atMost: 1.5 },
      },
      {
        name: 'transceive',
        ours: apdus.ours,
        unit: 'ms',
        peer: { name, values: apdus.peer },
        aim: { of: 'ratio', atMost: 3 },
      },
    ];
  } finally {
    await configureNfc(device, null);
    await lab.unplug();
  }
}
