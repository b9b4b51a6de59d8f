import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { colourAt, near } from '../../testing/png.ts';
import { waitFor } from '../../testing/wait.ts';
import { putBundle, removeBundles } from '../harness/bundles.ts';
import type { Device } from '../harness/device.ts';
import { glyphPage, missingGlyphs } from '../harness/glyphs.ts';
import { fileBundle, hlsBundle, PASSED, SECONDS, STILL, TOLERANCE } from '../harness/media.ts';
import { waitForSpots } from '../harness/screen.ts';
import { scenario } from '../harness/suite.ts';

const PLAYS_MS = 240_000;
/** Of the page's video: why it may stand still. */
const VIDEO_STATE = `const video = document.querySelector('video');
  const before = video.currentTime;
  await new Promise((done) => setTimeout(done, 2000));
  const { currentTime, duration, seeking, ended, paused, readyState, networkState, buffered } = video;
  const ranges = Array.from(buffered, (_, i) => [buffered.start(i), buffered.end(i)]);
  return { before, currentTime, duration, seeking, ended, paused, readyState, networkState, ranges };`;

/** Looks at the screen until `isDone` with the seconds of the clip that it has shown, each once while it stays. */
async function watchClip(
  device: Device,
  what: string,
  isDone: (seen: readonly number[]) => boolean,
): Promise<void> {
  const seen: number[] = [];
  await waitFor(
    async () => {
      const picture = await device.screen();
      const moving = colourAt(picture, 0.25, 0.4);
      const second = SECONDS.findIndex((colour) => near(moving, colour, TOLERANCE));
      if (second >= 0 && near(colourAt(picture, 0.75, 0.4), STILL, TOLERANCE) && seen.at(-1) !== second)
        seen.push(second);
      return isDone(seen);
    },
    { timeoutMs: PLAYS_MS, what, intervalMs: 150 },
  ).catch(async (error: unknown) => {
    const shown = seen.join(', ') || 'of no clip';
    const state = await device.runScript(VIDEO_STATE).catch(String);
    throw new Error(
      `${String(error)}; the screen showed the seconds ${shown}; the video: ${JSON.stringify(state)}`,
    );
  });
}

/** Whether the clip has looped, and played to its end again. */
const hasLooped = (seen: readonly number[]) =>
  SECONDS.every((_, wanted) => seen.filter((shown) => shown === wanted).length >= 2);

/** Whether the clip has started again four times, once perhaps with its page. Some of its seconds may be missing. */
const hasStartedAgain = (seen: readonly number[]) =>
  seen.filter((second, i) => second < (seen[i - 1] ?? 0)).length >= 4;

/** Runs `act` while the browser gets 60 % of a processor, as on a busy device. An emulated one is slower anyway. */
async function withLittleTime(device: Device, act: () => Promise<void>): Promise<void> {
  if (device.isEmulated) return act();
  const limit = (percent: string) =>
    device.shell.ok(`systemctl set-property --runtime user-$(id -u kiosk).slice CPUQuota=${percent}`);
  await limit('60%');
  try {
    await act();
  } finally {
    await limit('');
  }
}

/** Runs `act` while more processes than there are processors always want to run. An emulated device is busy anyway. */
async function whileBusy(device: Device, act: () => Promise<void>): Promise<void> {
  if (device.isEmulated) return act();
  const loops = 'i=0; while [ $i -lt 8 ]; do (while :; do :; done) & i=$((i + 1)); done; wait';
  await device.shell.ok(`systemd-run --quiet --collect --unit=busy sh -c '${loops}'`);
  try {
    await act();
  } finally {
    await device.shell.ok('systemctl stop busy');
  }
}

/** The volume of the page's video once it plays. */
async function volumeWhilePlaying(device: Device): Promise<unknown> {
  const script = `(() => { const video = document.querySelector('video');
    return video?.currentTime > 0.3 ? video.volume : null; })()`;
  let volume: unknown = null;
  await waitFor(
    async () => {
      volume = field(await device.act('POST', '/display/execute-js', { script }), 'result');
      return volume !== null;
    },
    { timeoutMs: 60_000, what: 'the video to play' },
  );
  return volume;
}

export default scenario({
  title: 'video with sound in every required format, and text in every required script',
  needs: 'system',
  machine: 'shared',
  run: async ({ device, pages, test }) => {
    const clips: [string, string, () => Promise<Buffer>][] = [
      ['mp4', 'H.264 and AAC in MP4', () => fileBundle('h264-aac.mp4')],
      [
        'hls',
        'H.264 and AAC as HLS, through media source extensions',
        () => hlsBundle('h264-aac-fragments.mp4'),
      ],
      ['webm', 'VP9 and Opus in WebM', () => fileBundle('vp9-opus.webm')],
    ];
    for (const [name, what, bundle] of clips) {
      await test(`${what}: plays without a gesture, with sound and in a loop`, async () => {
        await putBundle(device, name, await bundle());
        await device.act('POST', '/display/bundle', { name });
        await watchClip(device, 'all seconds of the clip twice', hasLooped);
        const strip = { what: 'the result of the page’s checks', x: 0.9, y: 0.95, colour: PASSED };
        await waitForSpots(() => device.screen(), [strip], PLAYS_MS);
      }, 600_000);
    }

    // WebKit loses the seek with which such a loop starts again.
    await test('HLS in a loop starts again when the browser gets little time', async () => {
      await withLittleTime(device, async () => {
        await device.act('POST', '/display/bundle', { name: 'hls' });
        await watchClip(device, 'the clip to start again four times', hasStartedAgain);
      });
    }, 300_000);

    // WebKit takes over the volume that the sound server reports for its stream.
    await test('a video keeps its volume on a busy device', async () => {
      await putBundle(device, 'webm', await fileBundle('vp9-opus.webm'));
      await whileBusy(device, async () => {
        for (let round = 0; round < (device.isEmulated ? 3 : 12); round += 1) {
          await device.act('POST', '/display/bundle', { name: 'webm' });
          assert.equal(await volumeWhilePlaying(device), 1, `in round ${round}`);
        }
      });
    }, 600_000);

    await test('every character of the required scripts has a glyph, and emoji have colours', async () => {
      await device.act('POST', '/display/navigate', { url: pages.add(glyphPage()) });
      let missing: string[] = [];
      await waitFor(
        async () => {
          missing = missingGlyphs(await device.screen());
          return missing.length === 0;
        },
        { timeoutMs: 60_000, what: 'the characters on the screen', intervalMs: 500 },
      ).catch(() => undefined);
      assert.deepEqual(missing, []);
    });

    await device.showWaiting();
    await removeBundles(device);
  },
});
