/** Descriptors of USB devices, as bytes of the file `descriptors` in sysfs. */

/** An endpoint: address, attributes, size. */
type Endpoint = [address: number, attributes: number, size: number];

export function device(ids: [vendor: number, product: number], classes: [number, number, number]): number[] {
  return [18, 1, ...word(0x0210), ...classes, 64, ...ids.flatMap(word), ...word(0x0123), 1, 2, 3, 1];
}

/** @param parts the other descriptors of the configuration */
export function configuration(value: number, ...parts: number[][]): number[] {
  const rest = parts.flat();
  return [9, 2, ...word(9 + rest.length), 1, value, 0, 0x80, 250, ...rest];
}

/** An alternate setting of an interface with its endpoints. */
export function alternate(
  [number, setting]: [number: number, setting: number],
  classes: [number, number, number],
  ...endpoints: Endpoint[]
): number[] {
  const parts = endpoints.flatMap(([address, attributes, size]) => [
    7,
    5,
    address,
    attributes,
    ...word(size),
    0,
  ]);
  return [9, 4, number, setting, endpoints.length, ...classes, 0, ...parts];
}

function word(value: number): number[] {
  return [value & 0xff, value >> 8];
}
