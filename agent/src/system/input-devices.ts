import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomic } from '../base/atomic-file.ts';
import type { Logger } from '../base/logger.ts';
import type { InputKinds } from '../resources/display/ports.ts';
import type { Rotation } from '../resources/display/schema.ts';
import type { InputDevices, ListedDevice, TouchPoint } from '../resources/input/ports.ts';
import { follow } from './processes.ts';

const LISTED = '/proc/bus/input/devices';
const READER = '/usr/lib/vitrine/read-touch';
/** Plugging in is reported device by device; a list is read this long after the first, in ms. */
const SETTLE_MS = 100;

const EV_ABS = 3;
const ABS = { x: 0, y: 1, mtX: 0x35 } as const;
const INPUT_PROP_DIRECT = 1;
const BTN_LEFT = 0x110;
const BTN_TOOL_PEN = 0x140;
const BTN_TOOL_FINGER = 0x145;
const BTN_TOUCH = 0x14a;
/** Of a mouse, a pen and a touch pad. */
const OTHER_TOOLS = [BTN_LEFT, BTN_TOOL_PEN, BTN_TOOL_FINGER];
/** The keys from Escape to S. Buttons and remote controls have some of them only. */
const KEYBOARD_KEYS = Array.from({ length: 31 }, (_, key) => key + 1);

export interface LinuxInputDevicesOptions {
  log: Logger;
  /** Prefix of all system paths, for tests. */
  root?: string;
  /** The program that reads a device (native/read-touch.c). */
  reader?: string;
}

/** The input devices of the kernel. Their events are read by a program for each device, since that needs ioctls. */
export class LinuxInputDevices implements InputDevices {
  readonly #log: Logger;
  readonly #root: string;
  readonly #reader: string;
  /** The last list, which is asked for every few seconds and seldom changes: its text, and what it says. */
  #listed: { text: string; devices: ListedDevice[] } = { text: '', devices: [] };

  constructor({ log, root = '/', reader = READER }: LinuxInputDevicesOptions) {
    this.#log = log;
    this.#root = root;
    this.#reader = reader;
  }

  async list(): Promise<ListedDevice[]> {
    const text = this.#text();
    if (text !== this.#listed.text) this.#listed = { text, devices: parseInputDevices(text) };
    return this.#listed.devices;
  }

  /** The kernel has it ready. To read it in Node's threads would wake one of them for each of five calls. */
  #text(): string {
    try {
      return readFileSync(join(this.#root, LISTED), 'utf8');
    } catch {
      return '';
    }
  }

  /** The kinds of input devices that are present now. Never rejects. */
  async kinds(): Promise<InputKinds> {
    const kinds = new Set((await this.list()).map(({ kind }) => kind));
    return { touch: kinds.has('touch'), keyboard: kinds.has('keyboard') };
  }

  watch(changed: () => void): () => void {
    let timer: NodeJS.Timeout | undefined;
    const soon = () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        changed();
      }, SETTLE_MS);
    };
    const stop = follow({
      command: 'udevadm',
      args: () => ['monitor', '--udev', '--subsystem-match=input'],
      onLine: soon,
      onRestart: soon,
      log: this.#log,
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }

  read(node: string, onPoint: (point: TouchPoint) => void, lost: () => void): () => void {
    return follow({
      command: this.#reader,
      args: () => [node],
      onLine: (line) => {
        const point = parsePoint(line);
        if (point) onPoint(point);
      },
      onRestart: lost,
      log: this.#log,
    });
  }
}

/** Writes the display's rotation, and the file by which vitrine-touch.path lets libinput turn touches. */
export function touchRotation(runtimeFolder: string): (rotation: Rotation) => Promise<void> {
  let written: Rotation | undefined;
  return async (rotation) => {
    if (rotation === written) return;
    await writeFileAtomic(join(runtimeFolder, 'rotation'), `${rotation}\n`);
    await writeFileAtomic(join(runtimeFolder, 'turn-touch'), '');
    written = rotation;
  };
}

/** A line of the reader; undefined for anything else. */
export function parsePoint(line: string): TouchPoint | undefined {
  const [, slot, x, y, pressed, at] =
    /^(\d{1,2}) ([01]\.\d{6}) ([01]\.\d{6}) ([01]) (\d{1,15})$/.exec(line) ?? [];
  if (at === undefined) return undefined;
  return {
    slot: Number(slot),
    x: Math.min(Number(x), 1),
    y: Math.min(Number(y), 1),
    pressed: pressed === '1',
    at: Number(at),
  };
}

/** Reads /proc/bus/input/devices: those with an event device. Kinds are decided as udev does. */
export function parseInputDevices(text: string): ListedDevice[] {
  return text.split('\n\n').flatMap((device) => {
    const event = /^H: Handlers=.*\b(event\d+)\b/m.exec(device)?.[1];
    if (event === undefined) return [];
    const id = (name: string) =>
      Number.parseInt(new RegExp(`^I: .*\\b${name}=([0-9a-f]{4})\\b`, 'm').exec(device)?.[1] ?? '', 16) ||
      null;
    return {
      id: event,
      name: /^N: Name="(.*)"$/m.exec(device)?.[1]?.toWellFormed() ?? '',
      kind: kindOf(device),
      vendor_id: id('Vendor'),
      product_id: id('Product'),
      node: `/dev/input/${event}`,
      hasPositions: hasPositions(device),
    };
  });
}

function kindOf(device: string): ListedDevice['kind'] {
  const has = (key: number) => hasBit(device, 'KEY', key);
  const isDirect = hasBit(device, 'PROP', INPUT_PROP_DIRECT);
  const isTouched = hasBit(device, 'ABS', ABS.mtX) || has(BTN_TOUCH);
  // Not every panel says that it is direct.
  if (isTouched && hasBit(device, 'EV', EV_ABS) && (isDirect || !OTHER_TOOLS.some(has))) return 'touch';
  if (KEYBOARD_KEYS.every(has)) return 'keyboard';
  return OTHER_TOOLS.some(has) ? 'pointer' : 'other';
}

/** Positions on the screen: not those of touch pads, game pads and mice. */
function hasPositions(device: string): boolean {
  const kind = kindOf(device);
  const isPad = hasBit(device, 'KEY', BTN_TOOL_FINGER) && kind !== 'touch';
  return (
    (kind === 'touch' || (kind === 'pointer' && !isPad)) &&
    hasBit(device, 'ABS', ABS.x) &&
    hasBit(device, 'ABS', ABS.y)
  );
}

/** Tests a bit of a `B: NAME=` line: hexadecimal words of the kernel's word size, the highest first. */
function hasBit(device: string, name: string, bit: number): boolean {
  const words = new RegExp(`^B: ${name}=([0-9a-f ]+)$`, 'm').exec(device)?.[1]?.trim().split(' ').reverse();
  const wordBits = process.arch === 'arm' || process.arch === 'ia32' ? 32 : 64;
  const word = words?.[Math.floor(bit / wordBits)];
  return word !== undefined && ((BigInt(`0x${word}`) >> BigInt(bit % wordBits)) & 1n) === 1n;
}
