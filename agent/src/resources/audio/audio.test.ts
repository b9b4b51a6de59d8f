import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import { Audio } from './audio.ts';
import { chooseOutput, nameOutputs } from './outputs.ts';
import type { SoundOutput, SoundServer } from './ports.ts';

const ANALOG: SoundOutput = {
  ...{ id: 'alsa_output.pci.analog-stereo', kind: 'other', label: 'Analog' },
  ...{ plugged: true, volume: 0, mute: false },
};
const HDMI: SoundOutput = { ...ANALOG, id: 'alsa_output.hdmi', kind: 'hdmi', label: 'HDMI' };
const USB: SoundOutput = { ...ANALOG, id: 'alsa_output.usb', kind: 'usb', label: 'USB: Speaker' };

let outputs: SoundOutput[];
let current: string | null;
let hasCard: boolean;
let isRunning: boolean;
/** The volume that the server sets instead of a requested one. */
let rounded: number | undefined;
let commands: string[];
let reads: number;
let changed: () => void;
let settings: { output: string | null; volume: number; mute: boolean };
let server: SoundServer;
let audio: Audio;

beforeEach(() => {
  outputs = [ANALOG];
  current = ANALOG.id;
  hasCard = true;
  isRunning = true;
  rounded = undefined;
  commands = [];
  reads = 0;
  changed = () => undefined;
  settings = { output: null, volume: 80, mute: false };
  server = {
    hasHardware: async () => hasCard,
    read: async () => {
      reads += 1;
      if (!isRunning) throw new Error('connection refused');
      return { outputs: structuredClone(outputs), current };
    },
    use: async (id, volume, mute) => {
      commands.push(`${id} ${volume} ${mute}`);
      outputs = outputs.map((one) => (one.id === id ? { ...one, volume: rounded ?? volume, mute } : one));
      current = id;
    },
    watch: (listener) => {
      changed = listener;
      return () => {
        changed = () => undefined;
      };
    },
  };
  audio = new Audio({ server, settings: () => settings, log: createLogger('silent') });
});

afterEach(() => audio.stop());

async function until(what: string, isSo: () => boolean): Promise<void> {
  await waitFor(isSo, { timeoutMs: 20_000, what, intervalMs: 5 });
}

test('at the start the stored volume is set, and again when another program changes it', async () => {
  audio.start();
  await until('the volume', () => outputs[0]?.volume === 80);
  assert.deepEqual(await audio.get(), { output: 'Analog', outputs: ['Analog'], volume: 80, mute: false });
  outputs = [{ ...ANALOG, volume: 80, mute: true }];
  changed();
  await until('the mute to be set back', () => outputs[0]?.mute === false);
  assert.equal(commands.length, 2);
});

test('a server that ends right after the command gets it again when it is back', async () => {
  const { use } = server;
  server.use = async (...command) => {
    await use(...command);
    isRunning = false;
  };
  await audio.apply();
  [outputs, isRunning, server.use] = [[ANALOG], true, use];
  await audio.apply();
  assert.equal(outputs[0]?.volume, 80);
});

test('a server that rounds a volume is told once', async () => {
  rounded = 70;
  await audio.apply();
  await audio.apply();
  assert.equal(commands.length, 1);
  settings.volume = 60;
  await audio.apply();
  assert.equal(commands.length, 2);
});

test('a USB output takes over, and the sound returns when it is unplugged', async () => {
  outputs = [ANALOG, HDMI, USB];
  await audio.apply();
  assert.equal(current, USB.id);
  outputs = [ANALOG, HDMI];
  current = ANALOG.id;
  await audio.apply();
  assert.equal(current, HDMI.id);
  assert.deepEqual((await audio.get()).outputs, ['HDMI', 'Analog']);
});

test('a configured output is used; while it does not exist, another one is, and health says so', async () => {
  settings.output = 'USB: Speaker';
  outputs = [ANALOG];
  await audio.apply();
  assert.equal(current, ANALOG.id);
  assert.match(audio.problems().join(), /USB: Speaker.*played on Analog/);
  outputs = [HDMI, USB];
  await audio.apply();
  assert.equal(current, USB.id);
  assert.deepEqual(audio.problems(), []);
  outputs = [];
  current = null;
  await audio.apply();
  assert.equal((await audio.get()).output, null);
  assert.match(audio.problems().join(), /there is no other one/);
});

test('503 without a card, and while the server does not answer; the settings are applied when it does', async () => {
  isRunning = false;
  audio.start();
  await assert.rejects(audio.get(), { code: 'unavailable' });
  await audio.apply();
  assert.deepEqual(audio.problems(), []);
  isRunning = true;
  await until('a new attempt', () => commands.length > 0);
  assert.equal((await audio.get()).output, 'Analog');
  isRunning = false;
  await audio.apply();
  await assert.rejects(audio.get(), { code: 'unavailable' });
  isRunning = true;
  await audio.apply();
  hasCard = false;
  await assert.rejects(audio.get(), { code: 'unavailable' });
});

test('a flood of events is answered with few reads, and none after the stop', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pass = async (ms: number) => {
    t.mock.timers.tick(ms);
    for (let turn = 0; turn < 10; turn += 1) await new Promise(setImmediate);
  };
  audio.start();
  await pass(1);
  // Before and after the command.
  assert.deepEqual([outputs[0]?.volume, reads, commands.length], [80, 2, 1]);
  outputs = [ANALOG];
  for (let i = 0; i < 1000; i++) changed();
  await pass(1000);
  assert.deepEqual([outputs[0]?.volume, reads, commands.length], [80, 4, 2]);
  outputs = [ANALOG];
  changed();
  audio.stop();
  await pass(1000);
  assert.deepEqual([reads, commands.length], [4, 2]);
});

test('names are unique and do not depend on the order', () => {
  const twin = { ...USB, id: 'alsa_output.usb-2' };
  const names = (list: SoundOutput[]) => nameOutputs(list).map(({ id, name }) => `${id}=${name}`);
  assert.deepEqual(names([twin, USB]), ['alsa_output.usb=USB: Speaker', 'alsa_output.usb-2=USB: Speaker 2']);
  assert.deepEqual(names([USB, twin]), names([twin, USB]));
});

test('an output into which nothing is plugged is the last choice', () => {
  const named = nameOutputs([ANALOG, { ...HDMI, plugged: false }]);
  assert.equal(chooseOutput(named, null)?.name, 'Analog');
  assert.equal(chooseOutput(named, 'HDMI')?.name, 'HDMI');
  assert.equal(chooseOutput([], null), undefined);
});
