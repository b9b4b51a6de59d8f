import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { LabProgram } from '../lab/program.ts';
import { served } from '../qemu/served.ts';
import type { GuestShell } from '../qemu/shell.ts';
import { buildBusModule } from './bus-module/build.ts';
import type { Fault } from './guest/chip/pn532.ts';
import type { LabCommand, LabReader } from './guest/commands.ts';
import type { TagOptions } from './guest/tags/make.ts';
import type { TagContent } from './guest/tags/tag.ts';
import type { Feedback } from './guest/usb/ccid.ts';

/** Each device and each waiting transfer holds a thread. */
const PROGRAM = {
  name: 'nfc-lab',
  entry: new URL('./guest/main.ts', import.meta.url),
  threads: 16,
};
/** The number of both buses. It is none that the machine or a board has. */
export const BUS = 7;
/** The buses of the kernel's own drivers. */
export const KERNEL_BUS = 9;
const ADDRESS = 0x24;
const SECOND_CONTROLLER = 'dummy_udc.1';
const SERVICE_FOLDER = '/run/systemd/system/vitrine-nfc.service.d';
const DROP_IN = `${SERVICE_FOLDER}/nfc-lab.conf`;
const COMMAND_MS = 60_000;

const Content = Type.Union([Type.Null(), Type.Object({ length: Type.Integer(), message: Type.String() })]);
const Frames = Type.Array(Type.String());
const Feedbacks = Type.Array(
  Type.Object({
    what: Type.Union([Type.Literal('led'), Type.Literal('buzzer_on_detect')]),
    bytes: Type.String(),
  }),
);

/** The id that the device gives to each reader on its bus. The ACR122U's depends on its USB port. */
export const readerIds = (bus: number) => ({
  i2c: `pn532-i2c-${bus}-${ADDRESS.toString(16)}`,
  spi: `pn532-spi-${bus}-0`,
});

let lastUid = 0;

/** A model of a tag. It keeps its content wherever it is. */
export class LabTag {
  readonly #program: LabProgram<LabCommand>;
  readonly #number: number;
  /** Upper-case hexadecimal; empty if it is random. */
  readonly uid: string;

  constructor(program: LabProgram<LabCommand>, number: number, uid: string) {
    this.#program = program;
    this.#number = number;
    this.uid = uid;
  }

  /**
   * Puts it on a reader. @param commands it answers so many of the reader, and is then taken away
   * @returns when, on the device's monotonic clock, in ms
   */
  async put(reader: LabReader, commands?: number): Promise<number> {
    const after = commands === undefined ? {} : { commands };
    return Number(await this.#program.run({ do: 'put', reader, tag: this.#number, ...after }));
  }

  async take(reader: LabReader): Promise<void> {
    await this.#program.run({ do: 'take', reader, tag: this.#number });
  }

  /** Lets it answer `commands` further commands of the reader, and then takes it away. */
  async takeAfter(reader: LabReader, commands: number): Promise<void> {
    await this.#program.run({ do: 'take_after', reader, tag: this.#number, commands });
  }

  /** What is stored on it; null if it is not formatted. */
  async content(): Promise<TagContent | null> {
    const content = await this.#program.run({ do: 'content', tag: this.#number });
    if (!Value.Check(Content, content)) throw new Error(`the lab said ${JSON.stringify(content)}`);
    return content;
  }
}

/**
 * NFC readers and tags for a device in QEMU. Models of the chips run in the guest, behind the real interfaces of the kernel:
 * `/dev/i2c-7` and `/dev/spidev7.0` by CUSE or the kernel's own buses by a module, and an ACR122U on the emulated USB. Nothing
 * of it is on the image.
 */
export class NfcLab {
  readonly #shell: GuestShell;
  #program: LabProgram<LabCommand>;
  #hasUsb = false;
  #hasModule = false;

  /** Makes a PN532 on both buses. They have power, and no tag. */
  static async plug(shell: GuestShell): Promise<NfcLab> {
    const lab = new NfcLab(shell, await LabProgram.start(shell, PROGRAM));
    try {
      await lab.#serve();
    } catch (error) {
      await lab.unplug().catch(() => undefined);
      throw error;
    }
    return lab;
  }

  private constructor(shell: GuestShell, program: LabProgram<LabCommand>) {
    this.#shell = shell;
    this.#program = program;
  }

  /** Does the same as {@link plug} after a restart of the device. All tags are gone. */
  async load(): Promise<void> {
    await this.#program.stop(this.#shell);
    this.#hasUsb = false;
    this.#hasModule = false;
    this.#program = await LabProgram.start(this.#shell, PROGRAM);
    await this.#serve();
  }

  async #serve(): Promise<void> {
    await this.#shell.ok('modprobe cuse');
    await this.#program.run({ do: 'serve', bus: BUS, address: ADDRESS });
    await this.#admit(`i2c-${BUS}`, `spidev${BUS}.0`);
  }

  /**
   * Lets the reader program use devices that udev's rules and its unit do not know: they are neither of i2c-dev nor of spidev.
   */
  async #admit(...names: string[]): Promise<void> {
    const paths = names.map((name) => `/dev/${name}`).join(' ');
    const lines = names.map((name) => `DeviceAllow=char-${name} rw`).join('\\n');
    await this.#shell.ok(
      `set -e
      for path in ${paths}; do
        for try in $(seq 50); do test -c $path && break; sleep 0.1; done
      done
      udevadm settle -t 30
      chgrp nfc ${paths}; chmod 660 ${paths}
      mkdir -p ${SERVICE_FOLDER}
      printf '[Service]\\n${lines}\\n' >${DROP_IN}
      systemctl daemon-reload
      systemctl try-restart vitrine-nfc`,
      COMMAND_MS,
    );
  }

  /** Connects the chips with the kernel's own buses, too, which have the number {@link KERNEL_BUS}. */
  async useKernelBuses(): Promise<void> {
    const module = await buildBusModule();
    await served(module, (url) =>
      this.#shell.ok(
        `busybox wget -q -O ${this.#program.folder}/nfc_lab_bus.ko ${url}
        modprobe -a i2c-dev spidev && insmod ${this.#program.folder}/nfc_lab_bus.ko i2c_bus=${KERNEL_BUS} spi_bus=${KERNEL_BUS}
        udevadm settle -t 30; test -c /dev/i2c-${KERNEL_BUS} && test -c /dev/spidev${KERNEL_BUS}.0`,
        COMMAND_MS,
      ),
    );
    this.#hasModule = true;
    await this.#program.run({ do: 'serve_kernel', address: ADDRESS });
  }

  /** Makes a tag that is nowhere yet. Without `uid` it has one of its own. */
  async tag(options: Omit<TagOptions, 'uid'> & { uid?: string }): Promise<LabTag> {
    lastUid += 1;
    const bytes = options.kind === 'classic' ? 4 : 7;
    const own = `04${lastUid.toString(16).padStart(2 * (bytes - 1), '0')}`;
    const { uid = own } = options;
    const number = await this.#program.run({ do: 'tag', ...options, uid });
    return new LabTag(this.#program, Number(number), uid === 'random' ? '' : uid.toUpperCase());
  }

  /** Takes all tags away, gives power to both chips and ends all faults. */
  async clear(): Promise<void> {
    await this.#program.run({ do: 'clear' });
  }

  async power(reader: 'i2c' | 'spi', isOn: boolean): Promise<void> {
    await this.#program.run({ do: 'power', reader, is_on: isOn });
  }

  /** Lets commands to a chip fail; without `fault`: nothing fails any more. */
  async fail(reader: 'i2c' | 'spi', fault?: Fault): Promise<void> {
    await this.#program.run({ do: 'fail', reader, ...(fault && { fault }) });
  }

  /** The commands that a chip has got since the last call, each as hexadecimal digits. */
  async log(reader: 'i2c' | 'spi'): Promise<string[]> {
    const frames = await this.#program.run({ do: 'log', reader });
    if (!Value.Check(Frames, frames)) throw new Error(`the lab said ${JSON.stringify(frames)}`);
    return frames;
  }

  /** The light and sound commands that the ACR122U got since the last call. */
  async feedback(): Promise<Feedback[]> {
    const feedback = await this.#program.run({ do: 'feedback' });
    if (!Value.Check(Feedbacks, feedback)) throw new Error(`the lab said ${JSON.stringify(feedback)}`);
    return feedback;
  }

  /** Plugs the ACR122U in, at the second USB device controller that test devices have (tests-qemu/units). */
  async plugUsb(): Promise<void> {
    if (!this.#hasUsb) {
      await this.#shell.ok(`test -e /sys/class/udc/${SECOND_CONTROLLER} && modprobe usb_f_fs`);
      await this.#program.run({ do: 'usb', controller: SECOND_CONTROLLER });
      this.#hasUsb = true;
    }
    await this.#program.run({ do: 'plug', is_plugged: true });
  }

  async unplugUsb(): Promise<void> {
    await this.#program.run({ do: 'plug', is_plugged: false });
  }

  /** Leaves the device as it was before {@link plug}. NFC must be disabled. */
  async unplug(): Promise<void> {
    await this.#program.stop(this.#shell);
    if (this.#hasModule) await this.#shell.ok('rmmod nfc_lab_bus');
    await this.#shell.ok(
      `rm -rf ${this.#program.folder} ${DROP_IN}; rmdir ${SERVICE_FOLDER} 2>/dev/null
      systemctl daemon-reload; modprobe -r -q cuse spidev i2c-dev; :`,
      COMMAND_MS,
    );
  }
}
