/** The device's end of a page's NFC, in the page: the test gives the answers. */
import type { Bridge } from '../../agent/page/peripherals/bridge.ts';
import { installNfc } from '../../agent/page/peripherals/nfc.ts';

interface Pending {
  call: string;
  fields: object;
  resolve: (result: never) => void;
  reject: (error: Error) => void;
}

type Listener = (event: never) => void;

const pending: Pending[] = [];
const listeners = new Map<string, Listener[]>();
const add = (kind: string, listener: Listener): void => {
  listeners.set(kind, [...(listeners.get(kind) ?? []), listener]);
};

const bridge: Bridge = {
  call: (call, fields) => new Promise((resolve, reject) => pending.push({ call, fields, resolve, reject })),
  callOf: () => {
    throw new Error('Web NFC has no peripheral with a number');
  },
  on: (kind: string, listener: Listener) => add(kind, listener),
  whenClosed: (listener) => add('closed', listener),
};

const nfcDevice = {
  /** The calls that have no answer. */
  calls: (): object[] => pending.map(({ call, fields }) => ({ call, ...fields })),

  /** Answers the oldest call; an error by its name. */
  answer({ error, ...result }: { error?: string; response?: string }): void {
    const { resolve, reject } = pending.shift() ?? {};
    if (error === 'TypeError') reject?.(new TypeError('No.'));
    else if (error !== undefined) reject?.(new DOMException('No.', error));
    // The page gets what the protocol says.
    else resolve?.(result as never);
  },

  /** An event of the agent, or the end of the channel. */
  tell(kind: string, fields: object): void {
    for (const listener of listeners.get(kind) ?? []) listener({ event: kind, ...fields } as never);
  },

  install: (): void => installNfc(bridge),
};

export type NfcDevice = typeof nfcDevice;
Object.assign(window, { nfcDevice });
