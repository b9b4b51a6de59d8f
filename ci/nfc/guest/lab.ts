import { Pn532OnI2c, Pn532OnSpi } from './chip/buses.ts';
import { Field } from './chip/field.ts';
import { Pn532Chip } from './chip/pn532.ts';
import type { LabCommand, LabReader } from './commands.ts';
import { serveCuse } from './cuse/device.ts';
import { i2cDevice } from './cuse/i2c.ts';
import { spiDevice } from './cuse/spi.ts';
import { serveKernelBus } from './kernel-bus.ts';
import { makeTag } from './tags/make.ts';
import type { Tag } from './tags/tag.ts';
import { Acr122u } from './usb/acr122u.ts';

/** The kernel's monotonic clock, which all processes share, in ms. */
function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The models of readers and tags, and what connects them with the kernel. */
export class Lab {
  readonly #fields: Record<LabReader, Field> = { i2c: new Field(), spi: new Field(), usb: new Field() };
  readonly #chips = { i2c: new Pn532Chip(this.#fields.i2c), spi: new Pn532Chip(this.#fields.spi) };
  readonly #tags: Tag[] = [];
  #usb: Acr122u | undefined;

  /** @returns the result of a command, which can be JSON */
  async run(command: LabCommand): Promise<unknown> {
    switch (command.do) {
      case 'serve': {
        const i2c = new Pn532OnI2c(this.#chips.i2c, command.address);
        await serveCuse(`i2c-${command.bus}`, i2cDevice([i2c]));
        await serveCuse(`spidev${command.bus}.0`, spiDevice(new Pn532OnSpi(this.#chips.spi)));
        return;
      }
      case 'serve_kernel':
        serveKernelBus(new Pn532OnI2c(this.#chips.i2c, command.address), new Pn532OnSpi(this.#chips.spi));
        return;
      case 'usb':
        this.#usb = new Acr122u(this.#fields.usb, command.controller);
        this.#usb.start();
        return;
      case 'plug':
        if (command.is_plugged) this.#usb?.plug();
        else this.#usb?.unplug();
        return;
      case 'tag':
        return this.#tags.push(makeTag(command));
      case 'put':
        this.#fields[command.reader].put(this.#tag(command.tag), command.commands);
        return monotonicMs();
      case 'take':
        this.#fields[command.reader].take(this.#tag(command.tag));
        return;
      case 'take_after':
        this.#fields[command.reader].takeAfter(this.#tag(command.tag), command.commands);
        return;
      case 'clear':
        this.#clear();
        return;
      case 'content':
        return this.#tag(command.tag).content() ?? null;
      case 'power':
        this.#chips[command.reader].power(command.is_on);
        return;
      case 'fail':
        this.#chips[command.reader].fail(command.fault);
        return;
      case 'log':
        return this.#chips[command.reader].takeLog();
      case 'feedback':
        return this.#usb?.model.takeFeedback() ?? [];
    }
  }

  /** Ends what would outlive the process. */
  stop(): void {
    for (const chip of Object.values(this.#chips)) chip.fail(undefined);
    this.#usb?.stop();
  }

  #tag(number: number): Tag {
    const tag = this.#tags[number - 1];
    if (!tag) throw new Error(`there is no tag ${number}`);
    return tag;
  }

  #clear(): void {
    for (const field of Object.values(this.#fields)) field.clear();
    for (const chip of Object.values(this.#chips)) {
      chip.fail(undefined);
      if (!chip.isPowered) chip.power(true);
      chip.takeLog();
    }
    this.#usb?.model.takeFeedback();
  }
}
