import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLogger } from '../base/logger.ts';
import { outputOf, type PulseSink } from './pulse-sinks.ts';
import { PulseSoundServer } from './pulse-sound-server.ts';

/** As `pactl` of PulseAudio 17 with PipeWire 1.6 printed it in the virt image, shortened. */
const HDA =
  '[{"index":47,"state":"SUSPENDED","name":"alsa_output.pci-0000_00_06.0.analog-stereo","description":"Built-in Audio Analog Stereo","driver":"PipeWire","sample_specification":"s16le 2ch 48000Hz","channel_map":"front-left,front-right","mute":false,"volume":{"front-left":{"value":52428,"value_percent":"80%","db":"-5.81 dB"},"front-right":{"value":52428,"value_percent":"80%","db":"-5.81 dB"}},"balance":0.00,"flags":["HARDWARE","HW_MUTE_CTRL"],"properties":{"device.bus":"pci","alsa.card":"0","alsa.card_name":"HDA Intel","device.profile.name":"analog-stereo","device.product.name":"82801FB"},"ports":[{"name":"analog-output-lineout","description":"Line Out","type":"Line","priority":9000,"availability_group":"Legacy 1","availability":"availability unknown"}],"active_port":"analog-output-lineout","formats":["pcm"]},{"index":31,"name":"auto_null","mute":false,"volume":{},"properties":{},"ports":[],"active_port":null}]';

let folder: string;
let server: PulseSoundServer;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pulse-'));
  await writeFile(join(folder, 'sinks'), HDA);
  await writeFile(join(folder, 'default'), 'alsa_output.pci-0000_00_06.0.analog-stereo\n');
  const command = join(folder, 'pactl');
  const script = `#!/bin/sh
shift
echo "$*" >>${folder}/calls
case $* in
    *"list sinks") cat ${folder}/sinks ;;
    get-default-sink) cat ${folder}/default ;;
    set-sink-mute*broken*) echo "No such entity" >&2; exit 1 ;;
    subscribe)
        # One write: the lines arrive together, so a reported client would be counted, too.
        printf '%s\\n' "Event 'new' on client #4" "Event 'change' on sink #47"
        exec sleep 60 ;;
esac
`;
  await writeFile(command, script, { mode: 0o755 });
  const devices = join(folder, 'pcm');
  server = new PulseSoundServer({ log: createLogger('silent'), command, devices });
});

after(() => rm(folder, { recursive: true, force: true }));

test('reads the outputs of cards, without the null sink', async () => {
  const id = 'alsa_output.pci-0000_00_06.0.analog-stereo';
  const output = { id, kind: 'other', label: 'Analog', plugged: true, volume: 80, mute: false };
  assert.deepEqual(await server.read(), { outputs: [output], current: id });
  await writeFile(join(folder, 'default'), 'auto_null\n');
  assert.equal((await server.read()).current, null);
  await writeFile(join(folder, 'sinks'), '{"not": "a list"}');
  await assert.rejects(server.read(), /no outputs/);
});

test('sets the volume before the streams move; a refused command is an error', async () => {
  await rm(join(folder, 'calls'), { force: true });
  await server.use('alsa_output.x', 55, true);
  const calls = await readFile(join(folder, 'calls'), 'utf8');
  assert.equal(
    calls,
    'set-sink-volume alsa_output.x 55%\nset-sink-mute alsa_output.x 1\nset-default-sink alsa_output.x\n',
  );
  await assert.rejects(server.use('broken', 5, false), /No such entity/);
});

test('reports changes of outputs, not of clients: each command is one', async () => {
  let changes = 0;
  const stop = await new Promise<() => void>((resolve) => {
    const end = server.watch(() => {
      changes += 1;
      resolve(() => end());
    });
  });
  stop();
  assert.equal(changes, 1);
});

test('a card that can play is hardware; a microphone and no card are not', async () => {
  assert.equal(await server.hasHardware(), false);
  await writeFile(join(folder, 'pcm'), '00-00: USB Audio : USB Audio : capture 1\n');
  assert.equal(await server.hasHardware(), false);
  await writeFile(join(folder, 'pcm'), '00-00: MAI PCM i2s-hifi-0 : MAI PCM : playback 1\n');
  assert.equal(await server.hasHardware(), true);
});

/** Composed from the names that the drivers and PipeWire's profiles use; not recorded on a device. */
function sink(properties: Record<string, string>, port?: { type: string; availability: string }): PulseSink {
  const name = 'alsa_output.any';
  const volume = { 'front-left': { value: 65_536 }, 'front-right': { value: 65_536 } };
  const ports = port ? [{ name: 'port', ...port }] : [];
  return { name, mute: false, volume, properties, ports, active_port: port ? 'port' : null };
}

test('names outputs by socket', () => {
  const label = (properties: Record<string, string>) => outputOf(sink(properties)).label;
  const hdmi = { 'device.profile.name': 'hdmi-stereo' };
  assert.equal(label({ ...hdmi, 'alsa.card_name': 'vc4-hdmi' }), 'HDMI');
  assert.equal(label({ ...hdmi, 'alsa.card_name': 'vc4-hdmi-0' }), 'HDMI 1');
  assert.equal(label({ ...hdmi, 'alsa.card_name': 'vc4-hdmi-1' }), 'HDMI 2');
  assert.equal(label({ 'device.profile.name': 'hdmi-stereo-extra1', 'alsa.card_name': 'HDA' }), 'HDMI 2');
  assert.equal(label({ 'alsa.card_name': 'bcm2835 Headphones' }), 'Headphones');
  assert.equal(label({ 'device.profile.name': 'iec958-stereo' }), 'S/PDIF');
});

test('the name that a USB device reports is one short line', () => {
  const label = (name: string) => outputOf(sink({ 'device.bus': 'usb', 'device.product.name': name })).label;
  assert.equal(label('Speaker\n\u0007 Bar\u202e'), 'USB: Speaker Bar');
  assert.equal(label('x'.repeat(1000)).length, 69);
  assert.equal(label('\n'), 'USB: sound card');
});

test('an empty socket with a sensor is not plugged, and uneven channels have no volume', () => {
  const empty = outputOf(sink({}, { type: 'HDMI', availability: 'not available' }));
  assert.deepEqual([empty.plugged, empty.kind], [false, 'hdmi']);
  const uneven = { ...sink({}), volume: { left: { value: 1 }, right: { value: 2 } } };
  assert.equal(outputOf(uneven).volume, null);
});
