import { close, constants, open } from 'node:fs';
import { isatty } from 'node:tty';
import { promisify } from 'node:util';
import type { Watch } from '../base/watch.ts';
import { loadTtyControl, type PortOptions, type TtyControl } from './serial-ioctl.ts';

const openFile = promisify(open);
const closeFile = promisify(close);

/** An open tty that is set up. */
export interface OpenTty {
  fd: number;
  control: TtyControl;
  /** Frees the descriptor. Whoever closes a tty discards its output first: the kernel waits up to 30 s for that. */
  close(): Promise<void>;
}

/**
 * Opens a tty without ever blocking, for this process only. The kernel sets DTR and RTS, as for Chromium.
 * @throws Error
 */
export async function openTty(node: string, options: PortOptions, watch: Watch): Promise<OpenTty> {
  const control = loadTtyControl();
  const flags = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;
  const fd = await watch('Opening a serial port', openFile(node, flags));
  const tty = { fd, control, close: () => watch('Closing a serial port', closeFile(fd)) };
  try {
    if (!isatty(fd)) throw new Error('it is no tty');
    await watch('Locking a serial port', control.lock(fd));
    await watch('Configuring a serial port', control.configure(fd, options));
    return tty;
  } catch (error) {
    await tty.close().catch(() => undefined);
    throw error;
  }
}
