import { Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';
import { PNG_TYPES } from '../../contract/upload-types.ts';

/** Largest splash image in bytes (interface: Limits). */
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
    'Decoded to its last pixel before it is stored; an image that is damaged is 400 with the reason, and the one before stays.',
  upload: {
    contentTypes: PNG_TYPES,
    wrongType: 'bad_request',
    maxBytes: MAX_SPLASH_BYTES,
    description: 'PNG of at most 4 MiB; told by its content, not its name',
  },
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
} as const;
const reset = {
  method: 'DELETE',
  tag,
  description: '204 also when there was nothing to remove.',
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
  description: 'The built-in default when none has been uploaded.',
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
  description: 'When none has been uploaded: the boot image, else the built-in default.',
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
