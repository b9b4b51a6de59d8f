import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Hardware } from '../resources/device/ports.ts';
import { codedFormats, linuxHardware } from './hardware.ts';

const inputKinds = async () => ({ touch: true, keyboard: false });

test('reads the coded formats of a decoder', () => {
  const stateless = `ioctl: VIDIOC_ENUM_FMT
	Type: Video Output Multiplanar

	[0]: 'S265' (HEVC Parsed Slice Data, compressed)
`;
  assert.deepEqual(codedFormats(stateless), { h264: false, hevc: true });
  assert.deepEqual(codedFormats("[0]: 'H264' (H.264, compressed)"), { h264: true, hevc: false });
  assert.deepEqual(codedFormats("[0]: 'YU12' (Planar YUV 4:2:0)"), { h264: false, hevc: false });
});

test('finds the decoders of a Raspberry Pi 4, also when a driver loads late', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-hardware-'));
  const v4l2Command = join(root, 'v4l2-ctl');
  // A decoder, an encoder (its input is not coded), and a HEVC decoder.
  const takes = '/dev/video10) echo H264 ;; /dev/video11) echo YU12 ;; /dev/video19) echo S265 ;;';
  const script = `#!/bin/sh\ncase $2 in ${takes.replaceAll(/echo (\w+)/g, `echo "[0]: '$1'"`)} esac\n`;
  await writeFile(v4l2Command, script, { mode: 0o755 });
  const hardware = linuxHardware({ inputKinds, root, v4l2Command });
  const decoders = async () => {
    const { h264_hw, hevc_hw } = await hardware.capabilities();
    return { h264_hw, hevc_hw };
  };
  assert.deepEqual(await decoders(), { h264_hw: false, hevc_hw: false });
  for (const name of ['video11', 'video19', 'v4l-subdev0', 'media0']) {
    await mkdir(join(root, 'sys/class/video4linux', name), { recursive: true });
  }
  assert.deepEqual(await decoders(), { h264_hw: false, hevc_hw: true });
  await mkdir(join(root, 'sys/class/video4linux/video10'));
  assert.deepEqual(await decoders(), { h264_hw: true, hevc_hw: true });
  await rm(root, { recursive: true });
});

test('queries a decoder again that failed or did not answer in time, a limited number of times', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-hardware-'));
  const v4l2Command = join(root, 'v4l2-ctl');
  const asked = join(root, 'asked');
  await mkdir(join(root, 'sys/class/video4linux/video10'), { recursive: true });
  const h264Of = async (hardware: Hardware) => (await hardware.capabilities()).h264_hw;

  await writeFile(v4l2Command, `#!/bin/sh\necho "[0]: 'H264'"\n`, { mode: 0o644 });
  const late = linuxHardware({ inputKinds, root, v4l2Command, v4l2TimeoutMs: 60_000 });
  assert.equal(await h264Of(late), false);
  await chmod(v4l2Command, 0o755);
  assert.deepEqual(await Promise.all([h264Of(late), h264Of(late)]), [true, true]);

  await writeFile(asked, '');
  await writeFile(v4l2Command, `#!/bin/sh\necho >>${asked}\nexec sleep 600\n`);
  const never = linuxHardware({ inputKinds, root, v4l2Command, v4l2TimeoutMs: 50 });
  for (let call = 0; call < 10; call++) assert.equal(await h264Of(never), false);
  assert.ok((await readFile(asked, 'utf8')).length <= 5);
  await rm(root, { recursive: true });
});

test('detects radios', async () => {
  const root = await mkdtemp(join(tmpdir(), 'vitrine-hardware-'));
  const hardware = linuxHardware({ inputKinds, root });
  const nothing = { h264_hw: false, hevc_hw: false, touch_present: true, wifi: false, bluetooth: false };
  assert.deepEqual(await hardware.capabilities(), nothing);
  await mkdir(join(root, 'sys/class/ieee80211/phy0'), { recursive: true });
  await mkdir(join(root, 'sys/class/bluetooth/hci0'), { recursive: true });
  const seen = { ...nothing, wifi: true, bluetooth: true };
  assert.deepEqual(await hardware.capabilities(), seen);
  await rm(root, { recursive: true });
});
