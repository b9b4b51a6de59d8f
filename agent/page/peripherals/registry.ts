/** The objects that stand for a page's peripherals of one kind. */
import type { PageDevice } from '../../src/resources/peripherals/page-protocol.ts';
import type { Bridge, PeripheralCall } from './bridge.ts';
import { isNamed, numberMap, numbersOf } from './builtins.ts';

type Kind = PageDevice['kind'];
type DeviceOf<K extends Kind> = Extract<PageDevice, { kind: K }>;

/** The agent's end of one peripheral. */
export interface Link {
  call: PeripheralCall;
  /** The document gives the peripheral up: it is closed, and not listed again. @throws as {@link Bridge.call} */
  forget: () => Promise<void>;
}

interface RegistryOptions<K extends Kind, T> {
  create: (info: DeviceOf<K>, link: Link) => T;
  /** Its agent's end was closed, but not by the page. */
  onClosed: (peripheral: T, reason: string) => void;
  onConnect: (peripheral: T) => void;
  /** It is unplugged, or not allowed any more; its number is never used again. */
  onDisconnect: (peripheral: T) => void;
}

export interface Registry<T> {
  /** All that are allowed and plugged in. The same peripheral has the same object each time. */
  list(): Promise<T[]>;
  /** The one with this number, if the page knows it. */
  find(device: number): T | undefined;
  /** Has the agent tell what is plugged in and unplugged from now on. */
  watch(): Promise<unknown>;
}

const isKind = <K extends Kind>(device: PageDevice, kind: K): device is DeviceOf<K> => device.kind === kind;

export function createRegistry<K extends Kind, T>(
  bridge: Bridge,
  kind: K,
  { create, onClosed, onConnect, onDisconnect }: RegistryOptions<K, T>,
): Registry<T> {
  /** As many as are plugged in, of which the agent has 128 at most. */
  const known = numberMap<T>();
  /** Numbers that are over: the answer to a `list` may come with the event that one of its peripherals is gone. */
  let gone = numberMap<true>();
  let isWatching = false;

  const linkOf = (device: number): Link => {
    const call = bridge.callOf(device);
    return {
      call,
      forget: async () => {
        await call('forget');
        delete known[device];
      },
    };
  };

  const adopt = (info: DeviceOf<K>): T => {
    const { device } = info;
    const peripheral = known[device] ?? create(info, linkOf(device));
    known[device] = peripheral;
    return peripheral;
  };

  bridge.on('connect', ({ device }) => {
    if (isKind(device, kind)) onConnect(adopt(device));
  });
  bridge.on('disconnect', ({ device }) => {
    if (!isKind(device, kind)) return;
    const peripheral = adopt(device);
    delete known[device.device];
    gone[device.device] = true;
    onDisconnect(peripheral);
  });
  bridge.on('closed', ({ device, reason }) => {
    const peripheral = known[device];
    if (peripheral !== undefined) onClosed(peripheral, reason);
  });

  /** None after the origin has lost its permission: then there is no channel. */
  const listed = async (): Promise<PageDevice[]> => {
    try {
      return (await bridge.call('list', { kind })).devices;
    } catch (error) {
      if (isNamed(error, 'NetworkError')) return [];
      throw error;
    }
  };

  const list = async (): Promise<T[]> => {
    const devices = await listed();
    isWatching = true;
    const found: T[] = [];
    for (let at = 0; at < devices.length; at += 1) {
      const device = devices[at];
      if (device && isKind(device, kind) && !gone[device.device]) found[found.length] = adopt(device);
    }
    return found;
  };

  const watch = async (): Promise<T[]> => {
    if (isWatching) return [];
    isWatching = true;
    try {
      return await list();
    } catch {
      isWatching = false;
      return [];
    }
  };

  bridge.whenClosed(async () => {
    // The next channel counts anew.
    gone = numberMap();
    const numbers = numbersOf(known);
    for (let at = 0; at < numbers.length; at += 1) {
      const number = numbers[at] ?? 0;
      const peripheral = known[number];
      delete known[number];
      if (peripheral === undefined) continue;
      onClosed(peripheral, 'The device has closed the channel.');
      onDisconnect(peripheral);
    }
    if (!isWatching) return;
    isWatching = false;
    const found = await watch();
    for (let at = 0; at < found.length; at += 1) {
      const peripheral = found[at];
      if (peripheral !== undefined) onConnect(peripheral);
    }
  });

  return {
    list,
    find: (device) => known[device],
    watch,
  };
}
