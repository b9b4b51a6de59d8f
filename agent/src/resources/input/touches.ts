import type { EventBus } from '../../events/bus.ts';
import type { Rotation } from '../display/schema.ts';
import type { InputDevices, ListedDevice, TouchPoint } from './ports.ts';
import { inputRaw } from './schema.ts';

/** Devices that are read at a time. */
const MAX_DEVICES = 16;

export interface TouchesOptions {
  devices: InputDevices;
  bus: EventBus;
  /** Of the screen, in degrees clockwise. */
  rotation: () => Rotation;
}

interface ReadDevice {
  device: ListedDevice;
  stop: () => void;
  /** Last point of each slot that is pressed. */
  pressed: Map<number, TouchPoint>;
}

/** Reads all devices with positions while somebody is subscribed to `input_raw`. */
export class Touches {
  readonly #options: TouchesOptions;
  readonly #reading = new Map<string, ReadDevice>();
  /** Counts starts: a list that was asked for before a stop is out of date. */
  #run = 0;
  #unwatch = (): void => undefined;

  constructor(options: TouchesOptions) {
    this.#options = options;
  }

  /** @returns stops reading */
  readonly start = (): (() => void) => {
    this.#unwatch = this.#options.devices.watch(() => void this.#update());
    void this.#update();
    return () => {
      this.#run += 1;
      this.#unwatch();
      // The topic has no listeners any more, so no releases.
      for (const { stop } of this.#reading.values()) stop();
      this.#reading.clear();
    };
  };

  async #update(): Promise<void> {
    const run = ++this.#run;
    const listed = await this.#options.devices.list();
    if (run !== this.#run) return;
    const wanted = listed.filter(({ hasPositions }) => hasPositions).slice(0, MAX_DEVICES);
    for (const [key, reading] of this.#reading) {
      if (wanted.some((device) => keyOf(device) === key)) continue;
      reading.stop();
      this.#reading.delete(key);
      this.#release(reading);
    }
    for (const device of wanted) if (!this.#reading.has(keyOf(device))) this.#read(device);
  }

  #read(device: ListedDevice): void {
    const reading: ReadDevice = { device, stop: () => undefined, pressed: new Map() };
    this.#reading.set(keyOf(device), reading);
    reading.stop = this.#options.devices.read(
      device.node,
      (point) => {
        if (point.pressed) reading.pressed.set(point.slot, point);
        else reading.pressed.delete(point.slot);
        this.#emit(device, point);
      },
      () => this.#release(reading),
    );
  }

  /** Fingers of a device that has gone are no longer on it. */
  #release({ device, pressed }: ReadDevice): void {
    for (const point of pressed.values()) this.#emit(device, { ...point, pressed: false, at: Date.now() });
    pressed.clear();
  }

  #emit({ id, kind }: ListedDevice, { slot, x, y, pressed, at }: TouchPoint): void {
    // The compositor turns touches with the screen, and leaves pointers as they are.
    const place = kind === 'touch' ? rotate(x, y, this.#options.rotation()) : { x, y };
    this.#options.bus.emit(inputRaw, { device: id, slot, ...place, pressed, ts: new Date(at).toISOString() });
  }
}

/** Another device may get the node of one that was unplugged. */
function keyOf({ node, name, vendor_id, product_id }: ListedDevice): string {
  return JSON.stringify([node, name, vendor_id, product_id]);
}

/** A point of the panel as a point of the page. @param degrees by which the page is turned clockwise */
export function rotate(x: number, y: number, degrees: Rotation): { x: number; y: number } {
  const places = {
    0: { x, y },
    90: { x: y, y: 1 - x },
    180: { x: 1 - x, y: 1 - y },
    270: { x: 1 - y, y: x },
  };
  return places[degrees];
}
