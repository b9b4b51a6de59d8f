import type { Watch } from '../base/watch.ts';
import { bytesOf, type Driver, type DriverOptions, fitting, unknownCommand } from './driver.ts';
import { CommandError, orElse } from './errors.ts';
import { Handles } from './handles.ts';
import { COMMANDS } from './protocol.ts';
import { openTty } from './serial-open.ts';
import { SerialPort } from './serial-port.ts';

/** USB adapters and modems. Other ttys are the board's own. */
const NODE = /^\/dev\/tty(?:ACM|USB)\d+$/;
const commands = COMMANDS.serial;

/** Drives serial ports by their ttys. */
export class SerialDriver implements Driver {
  readonly #emit: DriverOptions['emit'];
  readonly #watch: Watch;
  readonly #nodes: RegExp;
  readonly #handles: Handles<SerialPort>;

  /** @param nodes which nodes are serial ports, for tests */
  constructor({ emit, watch }: DriverOptions, nodes = NODE) {
    this.#emit = emit;
    this.#watch = watch;
    this.#nodes = nodes;
    this.#handles = new Handles(emit);
  }

  async execute(command: string, message: unknown): Promise<object> {
    const handles = this.#handles;
    switch (command) {
      case 'open': {
        const { handle, node, ...options } = fitting(commands.open, message);
        if (!this.#nodes.test(node)) throw new CommandError('NotFoundError', 'This is no serial port.');
        await handles.open(handle, node, async () => {
          const tty = await orElse('NetworkError', 'Failed to open serial port.', () =>
            openTty(node, options, this.#watch),
          );
          return new SerialPort(tty, this.#watch, {
            received: (data) => this.#emit({ event: 'data', handle, data: data.toString('base64') }),
            receiveError: (name) => this.#emit({ event: 'receive_error', handle, name }),
            lost: () => handles.lose(handle, 'The serial port was unplugged.'),
          });
        });
        return {};
      }
      case 'close':
        await handles.close(fitting(commands.close, message).handle);
        return {};
      case 'write': {
        const { handle, data } = fitting(commands.write, message);
        const bytes = bytesOf(data);
        await handles.run(handle, (port) => port.write(bytes), bytes.length);
        return {};
      }
      case 'drain':
        await handles.run(fitting(commands.drain, message).handle, (port) => port.drain());
        return {};
      case 'flush': {
        const { handle, direction } = fitting(commands.flush, message);
        await handles.run(handle, (port) => port.flush(direction));
        return {};
      }
      case 'credit': {
        const { handle, bytes } = fitting(commands.credit, message);
        await handles.run(handle, async (port) => port.credit(bytes));
        return {};
      }
      case 'set_signals': {
        const {
          handle,
          dataTerminalReady,
          requestToSend,
          break: isBreak,
        } = fitting(commands.set_signals, message);
        const signals = { dataTerminalReady, requestToSend, break: isBreak };
        await handles.run(handle, (port) => port.setSignals(signals));
        return {};
      }
      case 'get_signals':
        return await handles.run(fitting(commands.get_signals, message).handle, (port) => port.getSignals());
      default:
        return unknownCommand();
    }
  }

  async closeAll(): Promise<void> {
    await this.#handles.closeAll();
  }
}
