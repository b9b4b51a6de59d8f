import type { Device } from './device.ts';

/** Highest coordinate of the touch screen below. */
const MAX = 0x7fff;
const FINGERS = 2;
/** HID: tip switch as a byte, contact id, x and y as 16 bits each. */
const FINGER =
  '0922a102' +
  '09421500250175019501810295078103' +
  '0951257f750895018102' +
  '0501093026ff7f751095018102' +
  '09318102050dc0';
/** HID report descriptor of a touch screen: fingers and their number. */
const DESCRIPTOR = Buffer.from(`050d0904a101${FINGER.repeat(FINGERS)}0954257f750895018102c0`, 'hex');
const UHID_CREATE2 = 11;
const UHID_INPUT2 = 12;
const BUS_USB = 3;
const FIFO = '/run/touch-screen';

/** A page that keeps in `touches` what happened where, 0 to 1, newest last. */
export const TOUCHES_PAGE = `<!doctype html><title>touches</title><body style="margin:0;touch-action:none"><script>
  const touches = [];
  for (const type of ['touchstart', 'touchmove', 'touchend'])
    addEventListener(type, ({ changedTouches }) => {
      for (const { clientX, clientY } of changedTouches) touches.push([type, clientX / innerWidth, clientY / innerHeight]);
    });
</script>`;

/** A finger on the screen, or one that has just left it. */
export interface Finger {
  id: number;
  /** 0 to 1 of the panel, as y. */
  x: number;
  y: number;
  isDown: boolean;
}

/**
 * A touch screen for two fingers of the guest's kernel: hid-multitouch takes it for a device, as udev, libinput and the
 * compositor do. Made with /dev/uhid, which needs no ioctl, so that a shell can do it.
 */
export class TouchScreen {
  readonly #device: Device;

  private constructor(device: Device) {
    this.#device = device;
  }

  static async plug(device: Device): Promise<TouchScreen> {
    // Each line of the pipe is one event; /dev/uhid takes one for each write.
    await device.shell.ok(
      `modprobe uhid && rm -f ${FIFO} && mkfifo ${FIFO}
      (exec 9<>/dev/uhid 8<>${FIFO}; while read -r line <&8 && [ "$line" ]; do printf "$line" >&9; done) >/dev/null 2>&1 &
      ${send(create())}`,
    );
    return new TouchScreen(device);
  }

  async unplug(): Promise<void> {
    await this.#device.shell.ok(`echo >${FIFO}; rm -f ${FIFO}`);
  }

  /**
   * Touches the screen for a moment.
   * @param x 0 to 1 of the panel, as y
   * @param meanwhile a shell command that runs between touch and release
   */
  async tap(x: number, y: number, meanwhile = 'sleep 0.06'): Promise<void> {
    const finger = { id: 0, x, y };
    await this.#device.shell.ok(
      `${send(report([{ ...finger, isDown: true }]))}; ${meanwhile}; ${send(report([{ ...finger, isDown: false }]))}`,
    );
  }

  /** Sends frames as fast as the device takes them. */
  async frames(...frames: readonly (readonly Finger[])[]): Promise<void> {
    await this.#device.shell.ok(frames.map((fingers) => send(report(fingers))).join('\n'));
  }
}

function create(): Buffer {
  const event = Buffer.alloc(280);
  event.writeUInt32LE(UHID_CREATE2, 0);
  event.write('test touch screen', 4);
  event.writeUInt16LE(DESCRIPTOR.length, 260);
  event.writeUInt16LE(BUS_USB, 262);
  event.writeUInt32LE(0x1209, 264);
  event.writeUInt32LE(0x0001, 268);
  return Buffer.concat([event, DESCRIPTOR]);
}

function report(fingers: readonly Finger[]): Buffer {
  const event = Buffer.alloc(6 + 6 * FINGERS + 1);
  event.writeUInt32LE(UHID_INPUT2, 0);
  event.writeUInt16LE(event.length - 6, 4);
  for (const [index, { id, x, y, isDown }] of fingers.entries()) {
    const at = 6 + 6 * index;
    event.writeUInt8(isDown ? 1 : 0, at);
    event.writeUInt8(id, at + 1);
    event.writeUInt16LE(Math.round(x * MAX), at + 2);
    event.writeUInt16LE(Math.round(y * MAX), at + 4);
  }
  event.writeUInt8(fingers.length, event.length - 1);
  return event;
}

/** A shell command that sends an event. */
function send(event: Buffer): string {
  const octal = [...event].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  return `printf '%s\\n' '${octal}' >${FIFO}`;
}
