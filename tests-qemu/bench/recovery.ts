import { dirname } from 'node:path';
import { type Figure, interleaved } from '../../ci/bench/measure.ts';
import type { Colour } from '../../testing/png.ts';
import type { Device } from '../harness/device.ts';
import { killPage } from '../harness/guest.ts';
import type { PageServer } from '../harness/pages.ts';

const LEFT: Colour = [16, 32, 200];
const RIGHT: Colour = [160, 220, 20];
const ROUNDS = 5;
const BACK_MS = 120_000;
const DROP_IN = '/run/systemd/system/vitrine-kiosk.service.d/peer.conf';

/** Starts the kiosk with our browser, or with the peer in its place, and waits until the page is shown. */
async function start(device: Device, pages: PageServer, peer: boolean): Promise<string> {
  const url = pages.addColours(LEFT, RIGHT);
  const command = `/usr/bin/cage -- /usr/bin/cog --platform=wl --webprocess-failure=restart ${url}`;
  await device.shell.ok(
    peer
      ? `mkdir -p ${dirname(DROP_IN)}; printf '[Service]\\nExecStart=\\nExecStart=${command}\\n' >${DROP_IN}`
      : `rm -f ${DROP_IN}`,
  );
  await device.shell.ok('systemctl daemon-reload; systemctl restart vitrine-kiosk');
  if (!peer) await device.act('POST', '/display/navigate', { url });
  await device.waitForColours(LEFT, RIGHT);
  return url;
}

/** From SIGKILL of the page's process until the page is requested again, against cog. */
export async function recoveryFigures(device: Device, pages: PageServer): Promise<Figure[]> {
  const time = async (peer: boolean): Promise<number> => {
    const url = await start(device, pages, peer);
    const ms = await killPage(device, pages, url, BACK_MS);
    await device.waitForColours(LEFT, RIGHT);
    return ms;
  };
  const times = await interleaved(
    ROUNDS,
    () => time(false),
    () => time(true),
  );
  await start(device, pages, false);
  return [
    {
      name: 'killed page requested again',
      ours: times.ours,
      unit: 'ms',
      peer: { name: 'cog --webprocess-failure=restart', values: times.peer },
      aim: { of: 'ratio', atMost: 1 },
    },
  ];
}
