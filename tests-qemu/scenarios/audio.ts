import assert from 'node:assert/strict';
import { field } from '../../testing/field.ts';
import { waitFor } from '../../testing/wait.ts';
import type { Device } from '../harness/device.ts';
import { Sound } from '../harness/sound.ts';
import { scenario } from '../harness/suite.ts';
import { setVolumeByClicking } from '../harness/view-tests.ts';

const PAGE_HZ = 440;
const OTHER_HZ = 1000;
/** Amplitude of each tone before the volume. */
const LEVEL = 0.25;
const READY_MS = 120_000;
const PACTL = 'pactl --server=unix:/run/vitrine-sound/pulse';

/** A page that plays a tone when it is loaded, without any touch. Not WebAudio: its blocks of 3 ms are always late here. */
const TONE_PAGE = `<!doctype html><title>tone</title><audio autoplay loop src="data:audio/wav;base64,${wav().toString('base64')}"></audio>`;

/** Ten seconds of the page's tone. */
function wav(): Buffer {
  const rate = 44_100;
  const bytes = Buffer.alloc(44 + 10 * rate * 2);
  bytes.write('RIFF\0\0\0\0WAVEfmt ', 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(rate, 24);
  bytes.writeUInt32LE(rate * 2, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(bytes.length - 44, 40);
  for (let at = 44, i = 0; at < bytes.length; at += 2, i++)
    bytes.writeInt16LE(Math.round(LEVEL * 32_767 * Math.sin((2 * Math.PI * PAGE_HZ * i) / rate)), at);
  return bytes;
}

/** Runs in the guest's Node: prints a minute of a tone as 16-bit samples. */
const TONE_SAMPLES = `const s = Buffer.alloc(2 * 48000 * 60);
  for (let i = 0; i < s.length / 2; i++) s.writeInt16LE(${LEVEL} * 32767 * Math.sin(2 * Math.PI * ${OTHER_HZ} * i / 48000), 2 * i);
  require('fs').writeFileSync('/run/tone.raw', s);`;

async function waitForAudio(device: Device, what: string, isRight: (audio: unknown) => boolean) {
  return await waitFor(
    async () => {
      const { status, body } = await device.http('GET', '/audio');
      return status === 200 && isRight(body) && body;
    },
    { timeoutMs: READY_MS, what, intervalMs: 300 },
  );
}

/** The output that streams play on with its volume and mute, as the sound server says. */
async function serverState(device: Device): Promise<{ sink: string; volume: number; mute: boolean }> {
  const sink = await device.shell.ok(`${PACTL} get-default-sink 2>/dev/null`);
  const volume = await device.shell.ok(`${PACTL} get-sink-volume ${sink} 2>/dev/null`);
  const mute = await device.shell.ok(`${PACTL} get-sink-mute ${sink} 2>/dev/null`);
  return { sink, volume: Number(/ (\d+)%/.exec(volume)?.[1]), mute: mute.includes('yes') };
}

export default scenario({
  title: 'pages play sound on the chosen output; volume, mute, several streams, cards that come and go',
  needs: 'machine',
  parts: ['sound'],
  machine: 'restored',
  run: async ({ device, pages, test, longTest }) => {
    const sound = new Sound(device.paths.sound);

    await test('GET /audio names the output, and the stored volume is set before the first sound', async () => {
      const audio = await waitForAudio(device, 'the output', (body) => field(body, 'output') === 'Analog');
      assert.deepEqual(audio, { output: 'Analog', outputs: ['Analog'], volume: 80, mute: false });
      const { sink, ...state } = await serverState(device);
      assert.match(sink, /^alsa_output\.pci-/);
      assert.deepEqual(state, { volume: 80, mute: false });
    });

    await test('a page plays a tone without being touched', async () => {
      await device.act('POST', '/display/navigate', { url: pages.add(TONE_PAGE) });
      await sound.waitForTones({ [PAGE_HZ]: [0.02, 0.3], [OTHER_HZ]: [0, 0.01] });
    });

    await test('a second stream is heard at the same time', async () => {
      await device.shell.ok(`node -e "${TONE_SAMPLES}"`);
      await device.shell.ok(
        `systemd-run -q --unit=tone pacat --server=unix:/run/vitrine-sound/pulse --rate=48000 --channels=1 /run/tone.raw`,
      );
      try {
        await sound.waitForTones({ [PAGE_HZ]: [0.02, 0.3], [OTHER_HZ]: [0.02, 0.3] });
      } finally {
        await device.shell.run('systemctl stop tone');
      }
    });

    await test('POST /audio changes volume and mute, and stores them in the configuration', async () => {
      const socket = await device.events('config_changed');
      try {
        const mark = socket.events.mark;
        const answer = await device.act('POST', '/audio', { volume: 50 });
        assert.deepEqual(answer, { output: 'Analog', outputs: ['Analog'], volume: 50, mute: false });
        const { payload } = await socket.events.next('config_changed', mark);
        assert.deepEqual(field(payload, 'paths'), ['audio.volume']);
        assert.equal((await serverState(device)).volume, 50);
        await device.act('POST', '/audio', { mute: true });
        assert.deepEqual(field(await device.get('/config'), 'audio'), {
          output: null,
          volume: 50,
          mute: true,
        });
        assert.equal((await serverState(device)).mute, true);
        assert.match(await device.shell.ok("amixer -c0 cget name='Master Playback Switch'"), /values=off/);
      } finally {
        await socket.close();
      }
    });

    await test('PATCH /config takes effect at once, and the agent keeps its settings against others', async () => {
      const answer = await device.act('PATCH', '/config', { audio: { volume: 100, mute: false } });
      assert.deepEqual(field(answer, 'applied'), { 'audio.volume': 'live', 'audio.mute': 'live' });
      assert.equal(field(await device.get('/audio'), 'volume'), 100);
      const { sink, ...state } = await serverState(device);
      assert.deepEqual(state, { volume: 100, mute: false });
      await device.shell.ok(`${PACTL} set-sink-volume ${sink} 10%; ${PACTL} set-sink-mute ${sink} 1`);
      await waitFor(
        async () => {
          const { volume, mute } = await serverState(device);
          return volume === 100 && !mute;
        },
        { timeoutMs: READY_MS, what: 'the volume to be set back' },
      );
      await sound.waitForTones({ [PAGE_HZ]: [0.02, 0.3] });
    });

    await longTest('the volume is changed in the web app', async () => {
      await setVolumeByClicking(device, async () => (await serverState(device)).volume);
      await device.act('POST', '/audio', { volume: 100 });
    });

    await test('a USB sound card takes over the running stream, and gives it back when unplugged', async () => {
      const { qmp } = device.machine;
      await qmp.execute('device_add', { driver: 'qemu-xhci', id: 'usb' });
      await qmp.execute('device_add', {
        driver: 'usb-audio',
        id: 'speaker',
        audiodev: 'sound',
        bus: 'usb.0',
      });
      const both = await waitForAudio(device, 'the USB output', (body) =>
        String(field(body, 'output')).startsWith('USB: '),
      );
      const name = String(field(both, 'output'));
      assert.deepEqual(field(both, 'outputs'), ['Analog', name]);
      assert.equal((await serverState(device)).volume, 100);
      await waitFor(
        async () =>
          (await device.shell.run('grep -q RUNNING /proc/asound/card1/pcm0p/sub0/status')).code === 0,
        { timeoutMs: READY_MS, what: 'the stream to have moved' },
      );
      const answer = await device.act('PATCH', '/config', { audio: { output: 'Analog' } });
      assert.deepEqual(field(answer, 'applied'), { 'audio.output': 'live' });
      assert.equal(field(await device.get('/audio'), 'output'), 'Analog');
      await device.act('PATCH', '/config', { audio: { output: name } });
      await waitForAudio(device, 'the USB output again', (body) => field(body, 'output') === name);
      await qmp.execute('device_del', { id: 'speaker' });
      await waitForAudio(device, 'the output without USB', (body) => field(body, 'output') === 'Analog');
      await waitFor(
        async () => String(field(await device.get('/device/health'), 'problems')).includes(name),
        { timeoutMs: READY_MS, what: 'health to report the missing output' },
      );
      await device.act('PATCH', '/config', { audio: { output: null } });
      await sound.waitForTones({ [PAGE_HZ]: [0.02, 0.3] });
    });

    await test('without a sound card GET and POST answer 503, and it is found again', async () => {
      const pci = await device.shell.ok('basename "$(readlink -f /sys/class/sound/card0/device)"');
      const driver = '/sys/bus/pci/drivers/snd_hda_intel';
      await device.shell.ok(`echo ${pci} >${driver}/unbind`);
      for (const [method, json] of [['GET'], ['POST', { volume: 5 }]] as const) {
        const { status, body } = await device.http(method, '/audio', json === undefined ? {} : { json });
        assert.equal(status, 503);
        assert.equal(field(body, 'error.code'), 'unavailable');
      }
      assert.equal(field(await device.get('/config'), 'audio.volume'), 100);
      await device.shell.ok(`echo ${pci} >${driver}/bind`);
      await waitForAudio(device, 'the card again', (body) => field(body, 'output') === 'Analog');
      await waitFor(async () => (await serverState(device)).volume === 100, {
        timeoutMs: READY_MS,
        what: 'the volume of the card that came back',
      });
    });
  },
});
