/** Reads what the system left about the starts of a slot that an update tried. */

import { join } from 'node:path';
import * as Type from 'typebox';
import { removeTree, writeFileAtomic } from '../../base/atomic-file.ts';
import { readRegularFile } from '../../base/regular-file.ts';
import { Nullable } from '../../contract/shared.ts';
import { type Valid, validator } from '../../validation/validator.ts';
import type { SlotName } from './ports.ts';
import type { Reason } from './schema.ts';

/**
 * The files, in `/data/update`. The agent writes `trial`: a line with the slot that is tried, and one with what is known
 * of the update, for an agent that cannot use `state.json`. The initramfs appends to `trial-boots` at every boot
 * (board/common/initramfs/init), and the service with the deadline writes `trial-failure`.
 */
const TRIAL = 'trial';
const BOOTS = 'trial-boots';
const FAILURE = 'trial-failure';
/** Longest part of a recorded text that is reported, in characters. */
const MAX_TEXT = 400;

/** Largest of the files, in bytes. */
const MAX_BYTES = 64 * 1024;

/** What `apply` knew of the update. */
export const TrialDetails = validator(
  Type.Object({
    version: Nullable(Type.String()),
    /** Activations of the slot before. */
    activations: Type.Integer(),
    /** The kernel's id of the boot in which it was applied. */
    boot: Type.String(),
    reference: Nullable(Type.String()),
  }),
);

/** A trial as its files tell it. */
export interface Trial {
  slot: SlotName;
  /** Undefined if the file is damaged, or was written by an older version. */
  details: Valid<typeof TrialDetails> | undefined;
}

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
  return { code: 'boot_failed', message: `${attempts}${what} and was not confirmed.` };
}

/** @throws Error of the system */
export async function writeTrial(folder: string, slot: SlotName, details: Trial['details']): Promise<void> {
  await writeFileAtomic(join(folder, TRIAL), `${slot}\n${JSON.stringify(details)}\n`, 0o600);
}

/** The trial that the files have, running or ended; undefined without one. The first boot of a trial is of its slot. */
export async function readTrial(folder: string): Promise<Trial | undefined> {
  const [name, line = ''] = (await read(folder, TRIAL)).split('\n');
  const slot =
    name === 'a' || name === 'b'
      ? name
      : parseBoots(await read(folder, BOOTS)).find((boot) => boot.slot)?.slot;
  return slot && { slot, details: parseDetails(line) };
}

function parseDetails(line: string): Trial['details'] {
  try {
    const value: unknown = JSON.parse(line);
    return TrialDetails.fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the system's deadline has given the booted slot up and is about to reboot. */
export async function isGivenUp(folder: string): Promise<boolean> {
  return (await read(folder, FAILURE)) !== '';
}

/** Whether the files have a start of the slot. */
export async function wasStarted(folder: string, slot: SlotName): Promise<boolean> {
  return (
    parseBoots(await read(folder, BOOTS)).some((boot) => boot.slot === slot) || (await isGivenUp(folder))
  );
}

/** The reason that the files give. */
export async function readReason(folder: string, slot: SlotName): Promise<Reason> {
  return rollbackReason(slot, await read(folder, BOOTS), await read(folder, FAILURE));
}

/** Removes the files. The record of an earlier trial must not be taken for that of the next one. */
export async function removeRecord(folder: string): Promise<void> {
  for (const name of [TRIAL, BOOTS, FAILURE]) await removeTree(join(folder, name));
}

/** The text of a file; empty without one, and for what is no file. */
async function read(folder: string, name: string): Promise<string> {
  const bytes = await readRegularFile(join(folder, name), MAX_BYTES).catch(() => undefined);
  return bytes?.toString('utf8') ?? '';
}

function printable(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, MAX_TEXT);
}
