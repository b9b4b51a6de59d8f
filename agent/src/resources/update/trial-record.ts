/** Reads what the system left about the starts of a slot that an update tried. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeFile } from '../../base/atomic-file.ts';
import type { SlotName } from './ports.ts';
import type { Reason } from './schema.ts';

/**
 * The files, in `/data/update`. The agent writes `trial`, the slot that is tried. The initramfs appends to `trial-boots`
 * at every boot (board/common/initramfs/init), and the service with the deadline writes `trial-failure`.
 */
export const TRIAL = 'trial';
const BOOTS = 'trial-boots';
const FAILURE = 'trial-failure';
/** Longest part of a recorded text that is reported, in characters. */
const MAX_TEXT = 400;

/** A boot during a trial. */
interface RecordedBoot {
  /** Undefined if the initramfs did not know it. */
  slot: SlotName | undefined;
  /** How the boot before it ended: `watchdog`, `panic TEXT`, or `-`. */
  endBefore: string;
}

/** Parses `trial-boots`: lines `SLOT END`. Lines that are cut off are skipped. */
export function parseBoots(text: string): RecordedBoot[] {
  return text.split('\n').flatMap((line) => {
    const [, slot, endBefore = ''] = /^([ab-]) (.+)$/.exec(line) ?? [];
    return slot === undefined ? [] : [{ slot: slot === 'a' || slot === 'b' ? slot : undefined, endBefore }];
  });
}

/**
 * Why a slot was given up.
 * @param boots text of `trial-boots`; empty if there is none
 * @param failure text of `trial-failure`; empty if there is none
 */
export function rollbackReason(slot: SlotName, boots: string, failure: string): Reason {
  const [code = '', sentence = ''] = failure.split('\n');
  if (code === 'unhealthy') return { code, message: printable(sentence) || 'The boot was not confirmed.' };
  const recorded = parseBoots(boots);
  const starts = recorded.filter((boot) => boot.slot === slot).length;
  const lastStart = recorded.findLastIndex((boot) => boot.slot === slot);
  const end = lastStart < 0 ? '-' : (recorded[lastStart + 1]?.endBefore ?? '-');
  const attempts = `Slot ${slot} has no boot attempts left; `;
  if (end.startsWith('panic')) {
    const text = printable(end.slice('panic'.length).trim());
    return { code: 'kernel_panic', message: `${attempts}its kernel panicked${text && `: ${text}`}.` };
  }
  if (end === 'watchdog') {
    return { code: 'watchdog', message: `${attempts}the watchdog reset it last.` };
  }
  const what = starts === 0 ? 'it never reached its initramfs' : `its system started ${starts} times`;
  return { code: 'boot_failed', message: `${attempts}${what} and was not found good.` };
}

/** Whether the system's deadline has given the booted slot up and is about to reboot. */
export async function isGivenUp(folder: string): Promise<boolean> {
  return (await readFile(join(folder, FAILURE), 'utf8').catch(() => '')) !== '';
}

/** Whether the files have a start of the slot. */
export async function wasStarted(folder: string, slot: SlotName): Promise<boolean> {
  const boots = await readFile(join(folder, BOOTS), 'utf8').catch(() => '');
  return parseBoots(boots).some((boot) => boot.slot === slot) || (await isGivenUp(folder));
}

/** The reason that the files give. */
export async function readReason(folder: string, slot: SlotName): Promise<Reason> {
  const read = (name: string) => readFile(join(folder, name), 'utf8').catch(() => '');
  return rollbackReason(slot, await read(BOOTS), await read(FAILURE));
}

/** Removes the files. The record of an earlier trial must not be taken for that of the next one. */
export async function removeRecord(folder: string): Promise<void> {
  for (const name of [TRIAL, BOOTS, FAILURE]) await removeFile(join(folder, name));
}

function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT);
}
