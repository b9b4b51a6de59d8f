import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { LabProgram } from '../lab/program.ts';
import type { GuestShell } from '../qemu/shell.ts';
import type { PeripheralCommand } from './guest/commands.ts';
import type { HidKind } from './guest/hid/descriptors.ts';
import type { SentReport } from './guest/hid/model.ts';
import type { SerialModelName } from './guest/serial/models.ts';
import type { LabIdentity } from './guest/usb/identity.ts';

/** Each device and each waiting transfer holds a thread. */
const PROGRAM = {
  name: 'peripherals-lab',
  entry: new URL('./guest/main.ts', import.meta.url),
  threads: 64,
};
const SECOND_CONTROLLER = 'dummy_udc.1';
const COMMAND_MS = 60_000;
const MODULES = 'uhid usb_f_fs usb_f_acm cdc_acm usblp';
/** Takes the gadgets apart that a program of the lab has left, which held their files. */
const REMOVE_GADGETS = `
  for gadget in /sys/kernel/config/usb_gadget/periph-lab-*; do
    [ -d "$gadget" ] || continue
    echo >"$gadget/UDC" 2>/dev/null
    umount -l "/run/functionfs-\${gadget##*/}" 2>/dev/null
    rm -f "$gadget/configs/c.1/function"
    rmdir "$gadget"/configs/c.1 "$gadget"/functions/* "$gadget"/strings/0x409 "$gadget" || exit 1
  done`;
/** Common to the devices that a test does not name otherwise; https://pid.codes has the vendor's number for tests. */
const VENDOR = 0x1209;

const Reports = Type.Array(
  Type.Object({
    kind: Type.Union([Type.Literal('output'), Type.Literal('feature')]),
    reportId: Type.Integer(),
    data: Type.String(),
  }),
);

type Program = LabProgram<PeripheralCommand>;

/** A device of the lab. USB devices share one port: only one of them can be plugged in at a time. */
class LabDevice {
  protected readonly program: Program;
  readonly number: number;
  readonly vendor: number;
  readonly product: number;

  constructor(program: Program, number: number, { vendor, product }: { vendor: number; product: number }) {
    this.program = program;
    this.number = number;
    this.vendor = vendor;
    this.product = product;
  }

  async plug(): Promise<void> {
    await this.program.run({ do: 'plug', device: this.number, is_plugged: true });
  }

  async unplug(): Promise<void> {
    await this.program.run({ do: 'plug', device: this.number, is_plugged: false });
  }
}

export class LabHid extends LabDevice {
  /** Sends an input report. @param report begins with its id if the device's reports have ids */
  async input(report: Buffer): Promise<void> {
    await this.program.run({ do: 'input', device: this.number, report: report.toString('hex') });
  }

  /** What hosts have sent since the last call. */
  async sent(): Promise<SentReport[]> {
    const reports = await this.program.run({ do: 'sent', device: this.number });
    if (!Value.Check(Reports, reports)) throw new Error(`the lab said ${JSON.stringify(reports)}`);
    return reports;
  }

  /**
   * Scans a bar code. @param aim its AIM symbology identifier, for example `]E0` for EAN-13
   * @param symbology what Honeywell's scanners send beside it, for example 100 for EAN-13
   */
  async scan(text: string, aim: string, symbology: number): Promise<void> {
    await this.program.run({ do: 'scan', device: this.number, text, aim, symbology });
  }
}

export class LabUsb extends LabDevice {
  /** What was printed since the last call, or the flash of a chip. */
  async take(): Promise<Buffer> {
    return Buffer.from(String(await this.program.run({ do: 'take', device: this.number })), 'base64');
  }

  /** Sends an event at the interrupt endpoint of a loopback device. */
  async event(data: Buffer): Promise<void> {
    await this.program.run({ do: 'event', device: this.number, data: data.toString('hex') });
  }

  /** Lets bulk transfers of a loopback device to the host stall until it clears that. */
  async stall(): Promise<void> {
    await this.program.run({ do: 'stall', device: this.number });
  }
}

/**
 * Peripherals for a device in QEMU: models run in the guest, behind the kernel's real interfaces. HID devices by uhid, serial ports
 * (CDC-ACM) and USB devices (functionfs) at the second USB device controller that test devices have (tests-qemu/units).
 */
export class PeripheralsLab {
  readonly #shell: GuestShell;
  readonly #program: Program;

  static async start(shell: GuestShell): Promise<PeripheralsLab> {
    await shell.ok(
      `modprobe -a ${MODULES} && test -e /sys/class/udc/${SECOND_CONTROLLER} || exit 1${REMOVE_GADGETS}`,
      COMMAND_MS,
    );
    return new PeripheralsLab(shell, await LabProgram.start<PeripheralCommand>(shell, PROGRAM));
  }

  private constructor(shell: GuestShell, program: Program) {
    this.#shell = shell;
    this.#program = program;
  }

  /** Makes a HID device and plugs it in. It gives output reports back as input reports, unless `echoes` is false. */
  async hid(
    kind: HidKind,
    {
      vendor = VENDOR,
      product = 1,
      name = `Lab ${kind}`,
      serialNumber = `HID-${kind}`,
      echoes = true,
      ...shape
    }: {
      vendor?: number;
      product?: number;
      name?: string;
      serialNumber?: string;
      echoes?: boolean;
      /** A report descriptor in hexadecimal digits instead of that of `kind`. */
      descriptor?: string;
      reportBytes?: number;
    } = {},
  ): Promise<LabHid> {
    const identity = { vendor, product, name, serialNumber };
    const number = await this.#program.run({ do: 'hid', kind, ...identity, echoes, ...shape });
    const hid = new LabHid(this.#program, Number(number), identity);
    await hid.plug();
    return hid;
  }

  /** Makes a serial port, which is not plugged in yet. */
  async serial(model: SerialModelName, identity: Partial<LabIdentity> = {}): Promise<LabUsb> {
    const whole = {
      vendor: VENDOR,
      product: 2,
      productName: `Lab ${model}`,
      serialNumber: 'TTY-1',
      ...identity,
    };
    const number = await this.#program.run({
      do: 'serial',
      controller: SECOND_CONTROLLER,
      identity: whole,
      model,
    });
    return new LabUsb(this.#program, Number(number), whole);
  }

  /**
   * Makes a USB device, which is not plugged in yet: an interface of a vendor that gives back what it gets, or a receipt printer.
   * @param secondClass class of a second interface of a loopback device
   */
  async usb(
    kind: 'loopback' | 'printer',
    identity: Partial<LabIdentity> = {},
    secondClass?: number,
  ): Promise<LabUsb> {
    const whole = {
      vendor: VENDOR,
      product: 3,
      productName: `Lab ${kind}`,
      serialNumber: 'USB-1',
      ...identity,
    };
    const number = await this.#program.run({
      do: 'usb',
      controller: SECOND_CONTROLLER,
      identity: whole,
      kind,
      ...(secondClass === undefined ? {} : { secondClass }),
    });
    return new LabUsb(this.#program, Number(number), whole);
  }

  /** Leaves the device as it was before {@link start}, except that the kernel's modules stay loaded. */
  async stop(): Promise<void> {
    await this.#program.stop(this.#shell);
    await this.#shell.ok(`rm -rf ${this.#program.folder}${REMOVE_GADGETS}`, COMMAND_MS);
  }
}
