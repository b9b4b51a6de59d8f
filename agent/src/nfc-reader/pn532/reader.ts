/** What is needed to use a PN532 without the program. */
import type { Field } from '../field.ts';
import { Pn532 } from './chip.ts';
import { Pn532Field } from './field.ts';
import type { Transport } from './transport.ts';

export { ReaderError, ReaderGone, TagError } from '../errors.ts';
export type { Field, FieldTag } from '../field.ts';
export { readNdef, writeNdef } from '../tags/ndef.ts';
export { NdefFound, WriteProgress } from '../tags/progress.ts';
export { openI2c } from './i2c.ts';
export { openSpi } from './spi.ts';
export type { Transport } from './transport.ts';

/**
 * Starts the chip at a bus, and closes the bus if there is none.
 * @param opening from `openI2c` or `openSpi`
 * @throws ReaderError, or the error of the system
 */
export async function openPn532(opening: Promise<Transport>): Promise<Field> {
  const transport = await opening;
  const chip = new Pn532(transport);
  try {
    await chip.start();
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
  return new Pn532Field(chip);
}
