import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';
import { PNG_TYPES } from '../../contract/upload-types.ts';

/** Largest splash image in bytes. */
export const MAX_SPLASH_BYTES = 4 * 1024 * 1024;

const tag = 'Files';
const read = {
  method: 'GET',
  tag,
  status: 200,
  download: { contentType: 'image/png', description: 'The image' },
  errors: [],
} as const;
const upload = {
  method: 'PUT',
  tag,
  description:
    'Decoded completely before it is stored: an error anywhere (a checksum, too little or too much data, bytes after the ' +
    'end) is 400 `bad_request` with the reason, and the image before stays. At most 8192 pixels per side, 2^25 pixels, ' +
    'and 16 MiB of unpacked texts and colour profiles. The image is centred, scaled down to fit but never up, and turned ' +
    'by `display.rotation`; transparent pixels are black at boot and shutdown.',
  upload: {
    contentTypes: PNG_TYPES,
    wrongType: 'bad_request',
    maxBytes: MAX_SPLASH_BYTES,
    description: 'PNG of at most 4 MiB; the content is checked, not its name',
  },
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
} as const;
const reset = {
  method: 'DELETE',
  tag,
  description: '204 also when there was nothing to remove; `splash_changed` is sent in any case.',
  status: 204,
  errors: ['unavailable'],
} as const;

export const splashChanged = topic(
  'splash_changed',
  Type.Object({ kind: Type.Enum(['boot', 'shutdown']) }),
  'A splash image was uploaded or reset',
);

export const getSplash = endpoint({
  ...read,
  path: '/files/splash',
  summary: 'Image of the boot and the waiting page',
  description: 'As uploaded, byte for byte; the built-in image if none was.',
});
export const uploadSplash = endpoint({
  ...upload,
  path: '/files/splash',
  summary: 'Set the image of the boot and the waiting page',
});
export const resetSplash = endpoint({
  ...reset,
  path: '/files/splash',
  summary: 'Go back to the built-in image',
});

export const getShutdownSplash = endpoint({
  ...read,
  path: '/files/splash/shutdown',
  summary: 'Image of the shutdown',
  description: 'As uploaded, byte for byte; if none was, the boot image, else the built-in one.',
});
export const uploadShutdownSplash = endpoint({
  ...upload,
  path: '/files/splash/shutdown',
  summary: 'Set the image of the shutdown',
});
export const resetShutdownSplash = endpoint({
  ...reset,
  path: '/files/splash/shutdown',
  summary: 'Go back to the boot image at shutdown',
});
