import { readFileSync } from 'node:fs';
import * as Type from 'typebox';
import type { Board } from '../base/board.ts';
import { ApiError } from '../contract/errors.ts';
import { validator } from '../validation/validator.ts';

/** The board file cannot be used; the message is a sentence for whoever built the image. */
export class BoardFileError extends Error {
  override readonly name = 'BoardFileError';
}

/** /etc/vitrine/board.json, rendered from board/<name>/board.env. The agent ignores further fields. */
const BoardFile = validator(
  Type.Object({
    profile: Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,31}$' }),
    serial_lines: Type.Array(Type.String({ pattern: '^/dev/.' })),
    content_port: Type.Integer({ minimum: 1, maximum: 65_535 }),
    radio: Type.Enum(['none', 'single-band', 'dual-band']),
    usb_host_port: Type.Boolean(),
    screens: Type.Array(Type.String({ minLength: 1 })),
  }),
);

/** Common to all appliances: they have the same disk layout, initramfs and units. */
const APPLIANCE = {
  ownsSystem: true,
  managesRadios: true,
  factoryResetFlag: '/data/.factory-reset',
  dataFolder: '/data',
  runtimeFolder: '/run/vitrine',
} as const satisfies Partial<Board>;

/**
 * Reads the board file that the image's build rendered.
 * @throws BoardFileError when it cannot be read or does not fit the schema
 */
export function readBoardFile(path: string): Board {
  const { profile, serial_lines, content_port, radio, usb_host_port, screens } = read(path);
  return {
    ...APPLIANCE,
    profile,
    serialLines: serial_lines,
    contentPort: content_port,
    dualBandRadio: radio === 'dual-band',
    usbHostPort: usb_host_port,
    screens,
  };
}

function read(path: string) {
  try {
    return BoardFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const why = error instanceof ApiError ? error.message : `it cannot be read: ${error.message}`;
    throw new BoardFileError(`${path} does not describe a board: ${why}.`);
  }
}
