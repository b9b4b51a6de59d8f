/** A real message bus, and services on it that stand in for BlueZ and others. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import dbusNext, { type Message, type MessageBus } from 'dbus-next';

const missing = ['dbus-daemon', 'dbus-send'].find((program) => spawnSync(program, ['--version']).error);
/** Why tests with a bus cannot run here, or false. */
export const noDaemon = missing === undefined ? false : `${missing} is not installed`;

const DAEMON_METHOD = 'org.freedesktop.DBus.GetId';

/** A dbus-daemon that can be stopped and started again at the same address. */
export class BusDaemon {
  readonly #folder = mkdtempSync(join(tmpdir(), 'vitrine-bus-'));
  readonly address = `unix:path=${this.#folder}/bus`;
  #process: ChildProcess | undefined;

  async start(): Promise<void> {
    const args = ['--session', '--nofork', '--print-address', `--address=${this.address}`];
    this.#process = spawn('dbus-daemon', args, { stdio: ['ignore', 'pipe', 'ignore'] });
    if (this.#process.stdout) await once(this.#process.stdout, 'data');
  }

  /** Returns when the daemon has passed on everything that it got before; nothing else happens here meanwhile. */
  settle(): void {
    const args = [
      `--bus=${this.address}`,
      '--print-reply',
      '--dest=org.freedesktop.DBus',
      '/',
      DAEMON_METHOD,
    ];
    const { status } = spawnSync('dbus-send', args, { timeout: 60_000 });
    if (status !== 0) throw new Error('dbus-send failed');
  }

  /** Suspends the process. */
  freeze(): void {
    this.#process?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.kill('SIGCONT');
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    if (!this.#process) return;
    const exited = once(this.#process, 'exit');
    this.#process.kill(signal);
    await exited;
    this.#process = undefined;
  }

  /** Stops the daemon and removes its files. */
  async remove(): Promise<void> {
    await this.stop();
    await rm(this.#folder, { recursive: true });
  }
}

/** Reply of a method: signature and arguments; undefined for no reply at all. */
export type PeerReply = [signature: string, ...args: unknown[]] | undefined;

/** Another process on the bus, with or without a well-known name. */
export class BusPeer {
  /** All method calls received so far. */
  readonly calls: Message[] = [];
  readonly #connection: MessageBus;
  /** Answers method calls. */
  answer: (call: Message) => PeerReply = () => [''];

  private constructor(connection: MessageBus) {
    this.#connection = connection;
    connection.addMethodHandler((call: Message) => {
      this.calls.push(call);
      this.reply(call, this.answer(call));
      return true;
    });
  }

  reply(call: Message | undefined, reply: PeerReply): void {
    if (call && reply) {
      this.#connection.send(dbusNext.Message.newMethodReturn(call, reply[0], reply.slice(1)));
    }
  }

  /** Answers a call with an error. @param name of the D-Bus error */
  refuse(call: Message, name: string, message: string): void {
    const error = dbusNext.Message.newMethodReturn(call, 's', [message]);
    error.type = dbusNext.MessageType.ERROR;
    error.errorName = name;
    this.#connection.send(error);
  }

  static async connect(address: string, name?: string, answer?: BusPeer['answer']): Promise<BusPeer> {
    const connection = dbusNext.sessionBus({ busAddress: address });
    connection.on('error', () => undefined);
    const peer = new BusPeer(connection);
    if (answer) peer.answer = answer;
    if (name === undefined) await once(connection, 'connect');
    else await connection.requestName(name, 0);
    return peer;
  }

  /** Sends a signal to everybody, or to one connection. */
  emit(
    [path, iface, member]: [path: string, iface: string, member: string],
    signature: string,
    args: unknown[],
    destination?: string,
  ): void {
    const signal = dbusNext.Message.newSignal(path, iface, member, signature, args);
    if (destination !== undefined) signal.destination = destination;
    this.#connection.send(signal);
  }

  /** Calls a method and returns the reply's arguments; rejects with an error whose `type` is the D-Bus error's name. */
  async call(
    destination: string,
    [path, iface, member]: [path: string, iface: string, member: string],
    signature = '',
    body: unknown[] = [],
  ): Promise<unknown[]> {
    const header = { destination, path, interface: iface, member };
    const reply = await this.#connection.call(new dbusNext.Message({ ...header, signature, body }));
    return reply?.body ?? [];
  }

  async own(name: string): Promise<void> {
    await this.#connection.requestName(name, 0);
  }

  async disown(name: string): Promise<void> {
    await this.#connection.releaseName(name);
  }

  /** Leaves the bus as a process that exits. */
  async stop(): Promise<void> {
    this.#connection.disconnect();
  }
}
