import type { KoffiFunc } from 'koffi';
import type { Valid } from '../validation/validator.ts';
import { loadKoffi } from './native.ts';
import type { Signals } from './protocol.ts';

/** Requests of asm-generic/ioctls.h, which x86-64 and arm64 have. */
const REQUEST = {
  TCSETS2: 0x402c_542b,
  TCFLSH: 0x540b,
  TIOCEXCL: 0x540c,
  TIOCOUTQ: 0x5411,
  TIOCMGET: 0x5415,
  TIOCMSET: 0x5418,
  TIOCSBRK: 0x5427,
  TIOCCBRK: 0x5428,
} as const;
type Request = keyof typeof REQUEST;

/** Size of struct termios2: four 32-bit flags, line discipline, 19 control characters, two 32-bit speeds. */
const TERMIOS_BYTES = 44;
/** Offsets in it. */
const IFLAG = 0;
const CFLAG = 8;
const VTIME = 17 + 5;
const VMIN = 17 + 6;
const ISPEED = 36;
const OSPEED = 40;

/** Flags of asm-generic/termbits.h. */
const IGNPAR = 0o4;
const PARMRK = 0o10;
const INPCK = 0o20;
const BOTHER = 0o10000;
const CS7 = 0o40;
const CS8 = 0o60;
const CSTOPB = 0o100;
const CREAD = 0o200;
const PARENB = 0o400;
const PARODD = 0o1000;
const HUPCL = 0o2000;
const CLOCAL = 0o4000;
const CRTSCTS = 0o20_000_000_000;

/** Bits of the modem lines (asm-generic/termios.h). */
const DTR = 0x002;
const RTS = 0x004;
const CTS = 0x020;
const DCD = 0x040;
const RI = 0x080;
const DSR = 0x100;

/** Options of a port, as in the command `open`. */
export interface PortOptions {
  baudRate: number;
  dataBits: 7 | 8;
  stopBits: 1 | 2;
  parity: 'none' | 'even' | 'odd';
  flowControl: 'none' | 'hardware';
}

export interface OutputSignals {
  dataTerminalReady?: boolean | undefined;
  requestToSend?: boolean | undefined;
  break?: boolean | undefined;
}

/**
 * struct termios2 of a port that passes all bytes unchanged. PARMRK makes the kernel mark breaks and bytes with a wrong
 * parity (`ReceiveMarks`); without parity, damaged bytes are dropped.
 */
export function termiosOf({ baudRate, dataBits, stopBits, parity, flowControl }: PortOptions): Buffer {
  const termios = Buffer.alloc(TERMIOS_BYTES);
  const parityFlags = parity === 'none' ? 0 : PARENB | (parity === 'odd' ? PARODD : 0);
  const control =
    (BOTHER |
      CREAD |
      CLOCAL |
      HUPCL |
      parityFlags |
      (dataBits === 7 ? CS7 : CS8) |
      (stopBits === 2 ? CSTOPB : 0)) +
    (flowControl === 'hardware' ? CRTSCTS : 0);
  termios.writeUInt32LE(PARMRK | (parity === 'none' ? IGNPAR : INPCK), IFLAG);
  termios.writeUInt32LE(control, CFLAG);
  termios.writeUInt8(0, VTIME);
  termios.writeUInt8(1, VMIN);
  termios.writeUInt32LE(baudRate, ISPEED);
  termios.writeUInt32LE(baudRate, OSPEED);
  return termios;
}

/**
 * The ioctls of a tty. They run on threads: an adapter at USB answers each of them, for which the kernel waits up to 5 s.
 * All reject with an Error.
 */
export interface TtyControl {
  /** Nobody else but root can open the tty. */
  lock(fd: number): Promise<void>;
  configure(fd: number, options: PortOptions): Promise<void>;
  /** Changes both lines at once. The break condition is touched only if it is given: not every adapter has it. */
  setSignals(fd: number, signals: OutputSignals): Promise<void>;
  getSignals(fd: number): Promise<Valid<typeof Signals>>;
  discard(fd: number, direction: 'in' | 'out'): Promise<void>;
  /** Bytes that the driver has taken and not sent. */
  unsentBytes(fd: number): Promise<number>;
}

/** @throws CommandError if koffi is missing */
export function loadTtyControl(): TtyControl {
  const library = loadKoffi().load(null);
  const withBuffer: KoffiFunc<(fd: number, request: number, argument: Buffer) => number> = library.func(
    'ioctl',
    'int',
    ['int', 'unsigned long', 'void *'],
  );
  const withNumber: KoffiFunc<(fd: number, request: number, argument: number) => number> = library.func(
    'ioctl',
    'int',
    ['int', 'unsigned long', 'long'],
  );
  // koffi does not keep the buffer: its callback does, as long as the call runs.
  const buffer = async (fd: number, request: Request, argument: Buffer): Promise<Buffer> => {
    await settled(request, (done) => withBuffer.async(fd, REQUEST[request], argument, done));
    return argument;
  };
  const number = (fd: number, request: Request, argument: number): Promise<void> =>
    settled(request, (done) => withNumber.async(fd, REQUEST[request], argument, done));
  const int = async (fd: number, request: Request): Promise<number> =>
    (await buffer(fd, request, Buffer.alloc(4))).readInt32LE();
  return {
    lock: (fd) => number(fd, 'TIOCEXCL', 0),
    configure: async (fd, options) => void (await buffer(fd, 'TCSETS2', termiosOf(options))),
    setSignals: async (fd, { dataTerminalReady, requestToSend, break: isBreak }) => {
      if (dataTerminalReady !== undefined || requestToSend !== undefined) {
        const before = await int(fd, 'TIOCMGET');
        const lines = withBit(withBit(before, DTR, dataTerminalReady), RTS, requestToSend);
        const argument = Buffer.alloc(4);
        argument.writeInt32LE(lines);
        await buffer(fd, 'TIOCMSET', argument);
      }
      if (isBreak !== undefined) await number(fd, isBreak ? 'TIOCSBRK' : 'TIOCCBRK', 0);
    },
    getSignals: async (fd) => {
      const lines = await int(fd, 'TIOCMGET');
      return {
        dataCarrierDetect: (lines & DCD) !== 0,
        clearToSend: (lines & CTS) !== 0,
        ringIndicator: (lines & RI) !== 0,
        dataSetReady: (lines & DSR) !== 0,
      };
    },
    discard: (fd, direction) => number(fd, 'TCFLSH', direction === 'in' ? 0 : 1),
    unsentBytes: (fd) => int(fd, 'TIOCOUTQ'),
  };
}

function withBit(value: number, bit: number, isSet: boolean | undefined): number {
  if (isSet === undefined) return value;
  return isSet ? value | bit : value & ~bit;
}

function settled(
  request: Request,
  call: (done: (error: unknown, result: number) => void) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    call((error, result) => {
      if (error) reject(error);
      else if (result < 0) reject(new Error(`ioctl ${request} failed`));
      else resolve();
    });
  });
}
