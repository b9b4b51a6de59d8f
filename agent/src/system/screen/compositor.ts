import type { Compositor, Output, OutputSettings } from '../../resources/display/ports.ts';
import { runOk } from '../processes.ts';
import {
  type CompositorOutput,
  CompositorOutputs,
  modeArguments,
  outputOf,
  transformOf,
  withRate,
} from './compositor-outputs.ts';
import { KioskSession, type KioskSessionOptions } from './kiosk-session.ts';

const TIMEOUT_MS = 10_000;

export interface WaylandCompositorOptions extends KioskSessionOptions {
  /** The program that speaks wlr-output-management. */
  command?: string;
}

/** The compositor of the user `kiosk`, driven with wlr-randr. */
export class WaylandCompositor implements Compositor {
  readonly #command: string;
  readonly #session: KioskSession;

  constructor({ command = 'wlr-randr', ...session }: WaylandCompositorOptions = {}) {
    this.#command = command;
    this.#session = new KioskSession(session);
  }

  async outputs(): Promise<Output[]> {
    return (await this.#list()).map(outputOf);
  }

  async drive(output: string, settings: OutputSettings, others: readonly string[]): Promise<void> {
    const { rotation, scale, mode } = settings;
    const off = others.flatMap((other) => ['--output', other, '--off']);
    const found = (await this.#list()).find(({ name }) => name === output);
    const args = ['--output', output, '--on', '--transform', transformOf(rotation), '--scale', String(scale)];
    await this.#run([...args, ...(found ? modeArguments(found, mode) : []), ...off]);
  }

  async #list(): Promise<CompositorOutput[]> {
    const printed: unknown = JSON.parse(await this.#run(['--json']));
    if (!CompositorOutputs.fits(printed)) throw new Error(`${this.#command} printed no outputs`);
    return printed.map(withRate);
  }

  async #run(args: readonly string[]): Promise<string> {
    return await runOk(this.#command, args, { timeoutMs: TIMEOUT_MS, ...(await this.#session.find()) });
  }
}
