import { readFile } from 'node:fs/promises';
import type { Logger } from '../base/logger.ts';
import type { SoundServer, SoundState } from '../resources/audio/ports.ts';
import { follow, runOk } from './processes.ts';
import { OF_A_CARD, outputOf, PulseSinks } from './pulse-sinks.ts';

const SOCKET = '/run/vitrine-sound/pulse';
/** Long, because the first connection starts the server. */
const TIMEOUT_MS = 9000;

export interface PulseSoundServerOptions {
  log: Logger;
  /** The program that speaks the server's protocol. */
  command?: string;
  /** The kernel's list of devices that play or record. */
  devices?: string;
}

/** A sound server with the protocol of PulseAudio (PipeWire), controlled with pactl. */
export class PulseSoundServer implements SoundServer {
  readonly #log: Logger;
  readonly #command: string;
  readonly #devices: string;

  constructor({ log, command = 'pactl', devices = '/proc/asound/pcm' }: PulseSoundServerOptions) {
    this.#log = log;
    this.#command = command;
    this.#devices = devices;
  }

  async hasHardware(): Promise<boolean> {
    // The file is missing if no driver is loaded.
    return /: playback /.test(await readFile(this.#devices, 'utf8').catch(() => ''));
  }

  async read(): Promise<SoundState> {
    const sinks: unknown = JSON.parse(await this.#run(['--format=json', 'list', 'sinks']));
    if (!PulseSinks.fits(sinks)) throw new Error(`${this.#command} printed no outputs`);
    const outputs = sinks.filter(({ name }) => OF_A_CARD.test(name)).map(outputOf);
    const current = (await this.#run(['get-default-sink'])).trim();
    return { outputs, current: outputs.some(({ id }) => id === current) ? current : null };
  }

  async use(id: string, volume: number, mute: boolean): Promise<void> {
    await this.#run(['set-sink-volume', id, `${volume}%`]);
    await this.#run(['set-sink-mute', id, mute ? '1' : '0']);
    // Moves the streams; only now, so that they do not play at the wrong volume.
    await this.#run(['set-default-sink', id]);
  }

  watch(changed: () => void): () => void {
    return follow({
      command: this.#command,
      args: () => [...this.#server, 'subscribe'],
      onLine: (line) => {
        // Not clients: every call of pactl is one.
        if (/ on (?:sink|card|server) /.test(line)) changed();
      },
      onRestart: changed,
      log: this.#log,
    });
  }

  async #run(args: readonly string[]): Promise<string> {
    return await runOk(this.#command, [...this.#server, ...args], {
      timeoutMs: TIMEOUT_MS,
      env: { LC_ALL: 'C' },
    });
  }

  get #server(): string[] {
    return [`--server=unix:${SOCKET}`];
  }
}
