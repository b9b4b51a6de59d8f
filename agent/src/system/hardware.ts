import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../base/system-error.ts';
import type { Hardware } from '../resources/device/ports.ts';
import { run } from './processes.ts';

const V4L2_TIMEOUT_MS = 2000;
/** How often the same devices are asked while one of them does not answer: it may be a busy start, or never will. */
const MOST_ASKS = 5;
/** More video devices than any board has; each costs a child process once. */
const MOST_VIDEO_DEVICES = 32;
/** Bits of the kernel's input-event-codes.h. */
const ABS_MT_POSITION_X = 0x35;
const BTN_TOUCH = 0x14a;
const INPUT_PROP_DIRECT = 1;

type Decoders = {
  h264: boolean;
  hevc: boolean;
  /** Every device has answered. */
  complete: boolean;
};

export interface HardwareOptions {
  /** Prefix of all system paths, for tests. */
  root?: string;
  /** The program that lists what a video device takes. */
  v4l2Command?: string;
  /** How long it may take for one device, in ms. */
  v4l2TimeoutMs?: number;
}

/**
 * Measures what the hardware can do. Decoders are asked again when there are other video devices than before: their
 * drivers load while the system is up already; and when one did not answer in time, which on a slow board that starts
 * says nothing of it. What can be plugged is read each time.
 */
export function linuxHardware({
  root = '/',
  v4l2Command = 'v4l2-ctl',
  v4l2TimeoutMs = V4L2_TIMEOUT_MS,
}: HardwareOptions = {}): Hardware {
  let asked = '';
  let asks = 0;
  let decoders: Promise<Decoders> = Promise.resolve({ h264: false, hevc: false, complete: true });
  const currentDecoders = async (): Promise<Decoders> => {
    const devices = await videoDevices(root);
    const known = decoders;
    const changed = devices.join() !== asked;
    // Of those who wait for the same answer, one asks again.
    if (!changed && ((await known).complete || asks >= MOST_ASKS || decoders !== known)) return decoders;
    asked = devices.join();
    asks = changed ? 1 : asks + 1;
    decoders = findDecoders(v4l2Command, devices, v4l2TimeoutMs);
    return decoders;
  };
  return {
    async capabilities() {
      const [{ h264, hevc }, inputs, wifi, bluetooth] = await Promise.all([
        currentDecoders(),
        readFile(join(root, '/proc/bus/input/devices'), 'utf8').catch(() => ''),
        entries(join(root, '/sys/class/ieee80211')),
        entries(join(root, '/sys/class/bluetooth')),
      ]);
      return {
        h264_hw: h264,
        hevc_hw: hevc,
        touch_present: hasTouchScreen(inputs),
        wifi: wifi.length > 0,
        // hci0 is an adapter, hci0:11 a connection.
        bluetooth: bluetooth.some((name) => /^hci\d+$/.test(name)),
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
    .slice(0, MOST_VIDEO_DEVICES);
}

/** A decoder is a V4L2 device whose output queue, the one that it reads from, takes the coded format. */
async function findDecoders(
  command: string,
  devices: readonly string[],
  timeoutMs: number,
): Promise<Decoders> {
  const found = { h264: false, hevc: false, complete: true };
  for (const name of devices) {
    const args = ['--device', `/dev/${name}`, '--list-formats-out'];
    const listed = await run(command, args, { timeoutMs }).catch((error: unknown) => {
      // Without the program there is no answer to wait for.
      if (errorCode(error) !== 'ENOENT') found.complete = false;
    });
    const { h264, hevc } = codedFormats(listed?.stdout ?? '');
    found.h264 ||= h264;
    found.hevc ||= hevc;
  }
  return found;
}

/** Which coded formats `v4l2-ctl --list-formats-out` names; S264 and S265 are the stateless kinds. */
export function codedFormats(listing: string): { h264: boolean; hevc: boolean } {
  return { h264: /'(?:H264|AVC1|S264)'/.test(listing), hevc: /'(?:HEVC|S265)'/.test(listing) };
}

/** Whether /proc/bus/input/devices has a touch screen: a direct device with positions of touches. */
export function hasTouchScreen(devices: string): boolean {
  return devices.split('\n\n').some((device) => {
    if (!hasBit(device, 'PROP', INPUT_PROP_DIRECT)) return false;
    return hasBit(device, 'ABS', ABS_MT_POSITION_X) || hasBit(device, 'KEY', BTN_TOUCH);
  });
}

/** Tests a bit of a `B: NAME=` line: hexadecimal words of the kernel's word length, the highest first. */
function hasBit(device: string, name: string, bit: number): boolean {
  const words = new RegExp(`^B: ${name}=([0-9a-f ]+)$`, 'm').exec(device)?.[1]?.trim().split(' ').reverse();
  const wordBits = process.arch === 'arm' || process.arch === 'ia32' ? 32 : 64;
  const word = words?.[Math.floor(bit / wordBits)];
  return word !== undefined && ((BigInt(`0x${word}`) >> BigInt(bit % wordBits)) & 1n) === 1n;
}
