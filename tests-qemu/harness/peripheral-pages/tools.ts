/** What the test pages have in common. */

export type Calls = Record<string, (...args: never[]) => Promise<unknown>>;

export function hexOf(bytes: ArrayBufferView): string {
  const all = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from(all, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

export function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array((hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16)));
}

/** Bytes of which every part differs from the next. */
export function pattern(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) & 0xff);
}

/** A device that a call needs. */
export function present<T>(value: T | null | undefined, what: string): T {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`);
  return value;
}

/**
 * Gives the test, which runs scripts in this page, its calls: `page.NAME(…)`, the same with the name of an error as the result
 * (`outcomeOf('NAME', …)`), and in the background (`begin('NAME', …)`, then `ended()`).
 */
export function expose(calls: Calls, events: readonly string[]): void {
  const named = new Map(Object.entries(calls));
  const outcomeOf = async (name: string, ...args: never[]): Promise<unknown> => {
    try {
      return { result: (await named.get(name)?.(...args)) ?? null };
    } catch (error) {
      return error instanceof Error
        ? { error: error.name, message: error.message }
        : { error: String(error) };
    }
  };
  let running: Promise<unknown> = Promise.resolve();
  Object.assign(window, {
    ...{ page: calls, events, outcomeOf },
    begin: (name: string, ...args: never[]) => {
      running = outcomeOf(name, ...args);
    },
    ended: async () => await running,
  });
  // A page in a frame does what the page around it says, and tells it the outcome.
  if (window.parent !== window) {
    window.addEventListener('message', async ({ data }) => {
      window.parent.postMessage({ outcome: await outcomeOf(String(data)) }, '*');
    });
    window.parent.postMessage('ready', '*');
  }
}
