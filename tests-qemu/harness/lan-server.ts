import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';
import type { PageServer } from './pages.ts';

/** Names that lan.ts answers: by the network's domain and without it, and by multicast. */
export const LAN_NAMES = ['printer', 'printer.lab.test', 'speaker.local'] as const;
export const LAN_DOMAIN = 'lab.test';

/** A shell command that puts lan.ts, a program for a network of a test, into the guest as `/run/lan.mjs`. */
export async function fetchingLan(pages: PageServer): Promise<string> {
  const { code } = await transform(await readFile(new URL('lan.ts', import.meta.url), 'utf8'), {
    loader: 'ts',
  });
  return `busybox wget -q -O /run/lan.mjs ${pages.add(code)}`;
}
