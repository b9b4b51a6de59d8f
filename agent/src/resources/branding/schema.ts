import { Type } from 'typebox';
import { type BinaryBody, endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';

/** Largest splash image in bytes (interface: Limits). */
export const MAX_SPLASH_BYTES = 4 * 1024 * 1024;

const tag = 'Files';
const png = { contentType: 'image/png', description: 'The image' };
const image: BinaryBody = {
  contentTypes: ['image/png'],
  wrongType: 'bad_request',
  maxBytes: MAX_SPLASH_BYTES,
  description: 'PNG of at most 4 MiB; told by its content, not its name',
};

export const splashChanged = topic(
  'splash_changed',
  Type.Object({ kind: Type.Enum(['boot', 'shutdown']) }),
  'A splash image was uploaded or reset',
);

export const getSplash = endpoint({
  method: 'GET',
  path: '/files/splash',
  tag,
  summary: 'Image of the boot and the waiting page',
  description: 'The built-in default when none has been uploaded.',
  status: 200,
  download: png,
  errors: [],
});

export const uploadSplash = endpoint({
  method: 'PUT',
  path: '/files/splash',
  tag,
  summary: 'Set the image of the boot and the waiting page',
  description:
    'Decoded to its last pixel before it is stored; an image that is damaged is 400 with the reason, and the one before stays.',
  upload: image,
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
});

export const resetSplash = endpoint({
  method: 'DELETE',
  path: '/files/splash',
  tag,
  summary: 'Go back to the built-in image',
  description: '204 also when there was nothing to remove.',
  status: 204,
  errors: ['unavailable'],
});

export const getShutdownSplash = endpoint({
  method: 'GET',
  path: '/files/splash/shutdown',
  tag,
  summary: 'Image of the shutdown',
  description: 'When none has been uploaded: the boot image, else the built-in default.',
  status: 200,
  download: png,
  errors: [],
});

export const uploadShutdownSplash = endpoint({
  method: 'PUT',
  path: '/files/splash/shutdown',
  tag,
  summary: 'Set the image of the shutdown',
  description:
    'Decoded to its last pixel before it is stored; an image that is damaged is 400 with the reason, and the one before stays.',
  upload: image,
  status: 204,
  errors: ['insufficient_storage', 'unavailable'],
});

export const resetShutdownSplash = endpoint({
  method: 'DELETE',
  path: '/files/splash/shutdown',
  tag,
  summary: 'Go back to the boot image at shutdown',
  description: '204 also when there was nothing to remove.',
  status: 204,
  errors: ['unavailable'],
});
