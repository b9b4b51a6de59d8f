/** What the web app costs: the bytes and the time of its first load on a slow computer, and the agent's start and memory. */
import type { CDPSession } from 'playwright-core';
import { type Figure, interleaved } from '../../ci/bench/measure.ts';
import { AppBrowser } from '../../ui/tests/app-browser.ts';
import type { Device } from '../harness/device.ts';

const ROUNDS = 5;
/** How many times slower the browser's processor is made. */
const SLOWER = 4;
const MAX_LOAD_KB = 120;

interface Load {
  /** Until something is painted, and until the device's name can be changed, in ms. */
  painted: number;
  usable: number;
  /** Of everything that the browser has got until then but answers of the API, in kB. */
  kilobytes: number;
}

/** Counts what the app's own files take on the network. */
async function countBytes(session: CDPSession): Promise<() => number> {
  const files = new Set<string>();
  let bytes = 0;
  session.on('Network.responseReceived', ({ requestId, response }) => {
    if (!new URL(response.url).pathname.startsWith('/api/')) files.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (files.has(requestId)) bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return () => bytes / 1000;
}

async function load(app: AppBrowser, origin: string): Promise<Load> {
  let kilobytes = (): number => 0;
  const page = await app.open({
    origin,
    prepare: async (blank) => {
      const session = await blank.context().newCDPSession(blank);
      await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
      kilobytes = await countBytes(session);
    },
  });
  await page.getByRole('button', { name: 'Change the name' }).waitFor();
  const [painted, usable]: number[] = await page.evaluate(
    "[performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN, performance.now()]",
  );
  await page.close();
  return { painted: painted ?? Number.NaN, usable: usable ?? Number.NaN, kilobytes: kilobytes() };
}

/** Restarts the agent with or without the app. Its start until it is ready in ms, then its memory in MB. */
async function restart(device: Device, enabled: boolean): Promise<{ ms: number; megabytes: number }> {
  await device.act('PATCH', '/config', { ui: { enabled } });
  const measured = await device.shell.ok(`
    systemctl stop vitrine-agent; begin=$(date +%s%N); systemctl start vitrine-agent
    echo $(( ($(date +%s%N) - begin) / 1000 ))
    sed -n 's/^VmRSS:[[:space:]]*\\([0-9]*\\) kB/\\1/p' /proc/$(systemctl show -P MainPID vitrine-agent)/status`);
  const [us, kilobytes] = measured.split('\n').map(Number);
  return { ms: (us ?? Number.NaN) / 1000, megabytes: ((kilobytes ?? Number.NaN) * 1024) / 1e6 };
}

export async function webAppFigures(device: Device): Promise<Figure[]> {
  const app = await AppBrowser.launch();
  const loads: Load[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) loads.push(await load(app, device.origin));
  } finally {
    await app.close();
  }
  const megabytes = { ours: [] as number[], peer: [] as number[] };
  const start = async (which: 'ours' | 'peer'): Promise<number> => {
    const measured = await restart(device, which === 'ours');
    megabytes[which].push(measured.megabytes);
    return measured.ms;
  };
  const ms = await interleaved(
    ROUNDS,
    () => start('ours'),
    () => start('peer'),
  );
  await device.act('PATCH', '/config', { ui: null });
  const slow = `processor ${SLOWER} times slower`;
  const without = 'without the web app';
  return [
    {
      name: 'web app: files of the first load',
      ours: loads.map(({ kilobytes }) => kilobytes),
      unit: 'kB',
      aim: { of: 'value', atMost: MAX_LOAD_KB },
    },
    { name: `web app: painted, ${slow}`, ours: loads.map(({ painted }) => painted), unit: 'ms' },
    { name: `web app: usable, ${slow}`, ours: loads.map(({ usable }) => usable), unit: 'ms' },
    { name: 'start of the agent', ours: ms.ours, unit: 'ms', peer: { name: without, values: ms.peer } },
    {
      name: 'memory of the agent',
      ours: megabytes.ours,
      unit: 'MB',
      peer: { name: without, values: megabytes.peer },
    },
  ];
}
