/** Scripts that this app has run in the displayed page, with their results. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { RequestError } from '../../../../client/client.ts';
import { connection } from '../../app/device-state.ts';
import { ActionError, failureOf } from '../../app/failure.ts';
import { t } from '../../app/texts.ts';
import { jsonText, type Shortened } from '../../parts/stream/json-text.ts';
import { valueAt } from './json.ts';

/** How many runs are listed. */
const MOST_RUNS = 10;
/** Time for the way to the device and back, in ms. */
const SPARE_MS = 15_000;
/** `browser.script_timeout_ms` at most: the longest time that a script can have. */
export const LONGEST_SCRIPT_MS = 600_000;

export interface ScriptRun {
  readonly id: number;
  readonly script: string;
  /** The result as JSON, or the words of the exception. */
  readonly result: Shortened;
  /** Set for an exception. Line and column count from 1, and are null if they are not known. */
  readonly exception: { readonly line: number | null; readonly column: number | null } | undefined;
  readonly tookMs: number;
}

const current = signal<readonly ScriptRun[]>([]);
let lastId = 0;

/** The newest first. */
export const runs: ReadonlySignal<readonly ScriptRun[]> = current;

export function forgetRuns(): void {
  current.value = [];
}

/**
 * Runs a script in the displayed page and lists what came of it, also an exception.
 * @param limitMs `browser.script_timeout_ms`: so long it may wait for the page, and then run
 * @throws ActionError if it has not ended or was not run; what the request throws
 */
export async function runScript(script: string, limitMs: number): Promise<void> {
  const started = performance.now();
  const add = (outcome: Pick<ScriptRun, 'result' | 'exception'>) => {
    lastId += 1;
    const run = { ...outcome, id: lastId, script, tookMs: performance.now() - started };
    current.value = [run, ...current.value].slice(0, MOST_RUNS);
  };
  try {
    const { result } = await connection.client.post('/display/execute-js', {
      json: { script },
      timeoutMs: 2 * limitMs + SPARE_MS,
    });
    add({ result: jsonText(result), exception: undefined });
  } catch (error) {
    const { detail } = failureOf(error);
    const code = error instanceof RequestError ? error.code : undefined;
    if (code === 'script_timeout') throw new ActionError(t('page.script_late'), detail);
    if (code === 'conflict') throw new ActionError(t('page.script_left'), detail);
    if (!(error instanceof RequestError) || code !== 'script_error') throw error;
    const position = { line: numberAt(error.details, 'line'), column: numberAt(error.details, 'column') };
    add({ result: { text: detail ?? '', cut: 0 }, exception: position });
  }
}

function numberAt(details: unknown, key: string): number | null {
  const value = valueAt(details, key);
  return typeof value === 'number' ? value : null;
}
