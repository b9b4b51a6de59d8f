import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/system-error.ts';
import type { Hardware } from '../resources/device/ports.ts';
import type { InputKinds } from '../resources/display/ports.ts';
import { run } from './processes.ts';
import { hasBluetoothAdapter } from './radios/presence.ts';

const V4L2_TIMEOUT_MS = 2000;
/** Queries of the same devices while one of them does not answer, as at a busy start. */
const MAX_QUERIES = 5;
/** More video devices than any board has; each query is a child process. */
const MAX_VIDEO_DEVICES = 32;

interface Decoders {
  h264: boolean;
  hevc: boolean;
  /** Every device has answered. */
  complete: boolean;
}

export interface HardwareOptions {
  /** Kinds of input devices that are present. */
  inputKinds: () => Promise<InputKinds>;
  /** Prefix of all system paths, for tests. */
  root?: string;
  /** Program that lists the formats of a video device. */
  v4l2Command?: string;
  /** Its longest time for one device, in ms. */
  v4l2TimeoutMs?: number;
}

/**
 * Measures the hardware's capabilities. Decoders are queried again when the video devices have changed, since drivers may
 * load late, and when one did not answer in time, as on a slow board that is still starting. Anything that can be
 * plugged in is read each time.
 */
export function linuxHardware({
  inputKinds,
  root = '/',
  v4l2Command = 'v4l2-ctl',
  v4l2TimeoutMs = V4L2_TIMEOUT_MS,
}: HardwareOptions): Hardware {
  let queried = '';
  let queries = 0;
  let decoders: Promise<Decoders> = Promise.resolve({ h264: false, hevc: false, complete: true });
  const currentDecoders = async (): Promise<Decoders> => {
    const devices = await videoDevices(root);
    const known = decoders;
    const changed = devices.join() !== queried;
    // Only one of several waiting callers queries again.
    if (!changed && ((await known).complete || queries >= MAX_QUERIES || decoders !== known)) return decoders;
    queried = devices.join();
    queries = changed ? 1 : queries + 1;
    decoders = findDecoders(v4l2Command, devices, v4l2TimeoutMs);
    return decoders;
  };
  return {
    async capabilities() {
      const [{ h264, hevc }, inputs, wifi, bluetooth] = await Promise.all([
        currentDecoders(),
        inputKinds(),
        entries(join(root, '/sys/class/ieee80211')),
        hasBluetoothAdapter(root),
      ]);
      return {
        h264_hw: h264,
        hevc_hw: hevc,
        touch_present: inputs.touch,
        wifi: wifi.length > 0,
        bluetooth,
      };
    },
  };
}

async function entries(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

async function videoDevices(root: string): Promise<string[]> {
  const names = await entries(join(root, '/sys/class/video4linux'));
  return names
    .filter((name) => /^video\d+$/.test(name))
    .sort()
    .slice(0, MAX_VIDEO_DEVICES);
}

/** A decoder is a V4L2 device whose output queue (its input) accepts the coded format. */
async function findDecoders(
  command: string,
  devices: readonly string[],
  timeoutMs: number,
): Promise<Decoders> {
  const found = { h264: false, hevc: false, complete: true };
  for (const name of devices) {
    const args = ['--device', `/dev/${name}`, '--list-formats-out'];
    const listed = await run(command, args, { timeoutMs }).catch((error: unknown) => {
      // A missing program is no reason to query again.
      if (errorCode(error) !== 'ENOENT') found.complete = false;
    });
    const { h264, hevc } = codedFormats(listed?.stdout ?? '');
    found.h264 ||= h264;
    found.hevc ||= hevc;
  }
  return found;
}

/** Coded formats in the output of `v4l2-ctl --list-formats-out`; S264 and S265 are the stateless variants. */
export function codedFormats(listing: string): { h264: boolean; hevc: boolean } {
  return { h264: /'(?:H264|AVC1|S264)'/.test(listing), hevc: /'(?:HEVC|S265)'/.test(listing) };
}
