import type { Static } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { matching, Timestamp } from '../../contract/shared.ts';
import { ZIP_TYPES } from '../../contract/upload-types.ts';
import { Operation, UploadQuery } from '../operations/schema.ts';

/** Pattern of a bundle's name: a DNS label, since each bundle is the web origin `http://<name>.localhost`. */
export const BUNDLE_NAME = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$';

export const contentNotFound = defineError('content_not_found', 404, 'No bundle has that name.');
export const bundleInUse = defineError('bundle_in_use', 409, 'The bundle is on the screen.');
export const bundleInvalid = defineError('bundle_invalid', 400, 'The archive is not a valid bundle.');

export const BundleName = Type.String({
  ...matching(BUNDLE_NAME, 'must have 1 to 63 of a-z, 0-9 and, inside, -, such as my-app'),
  description:
    'A DNS label (1 to 63 of a-z, 0-9 and, inside, -): each bundle is the web origin `http://<name>.localhost`',
  examples: ['menu'],
});

/** A stored content bundle. */
export const Bundle = Type.Object(
  {
    name: BundleName,
    size_bytes: Type.Integer({ minimum: 0 }),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    created: Timestamp,
    active: Type.Boolean({ description: 'It is on the screen' }),
  },
  { $id: 'Bundle' },
);

export const Content = Type.Object(
  {
    bundles: Type.Array(Bundle),
    disk: Type.Object({
      free_bytes: Type.Integer({ minimum: 0 }),
      total_bytes: Type.Integer({ minimum: 0 }),
    }),
  },
  { $id: 'Content' },
);
export type Content = Static<typeof Content>;

/** Why a bundle cannot be displayed. */
export interface BundleProblem {
  code: 'bundle_missing' | 'bundle_damaged';
  message: string;
}

const tag = 'Content';
const params = Type.Object({ name: BundleName });

export const getContent = endpoint({
  method: 'GET',
  path: '/content',
  tag,
  summary: 'Stored bundles and the free disk space',
  description:
    'Bundles as they were when they were stored, also if they are damaged now; `active` marks the one on the screen.',
  status: 200,
  response: Content,
  errors: [],
});

export const uploadBundle = endpoint({
  method: 'PUT',
  path: '/content/{name}',
  tag,
  summary: 'Store a bundle, or replace it',
  description:
    'A zip archive with `index.html` at its root, stored and served as it is, never unpacked. The response is sent when ' +
    'the archive has been verified: 202, or 400 `bundle_invalid` with the operation `failed` and the same error in it; ' +
    'the bundle of that name stays. A body that does not start like a zip archive is refused at its first bytes. ' +
    '`bundle_invalid` also covers encrypted entries, names that are not UTF-8, unsafe, duplicate or differ only by case, ' +
    'links, and archives that would unpack to more than 1 GiB and 200 times their size. The operation is `done` when the ' +
    'bundle is stored and survives a power cut; after a cut, the device has the old version or the new one, complete.\n\n' +
    '409 `conflict` while the same name is being received, 429 `too_many_requests` for a fifth upload at once, 507 ' +
    '`insufficient_storage` if there is no space for the whole archive in addition to the one that it replaces; none of ' +
    'these starts an operation. The last 16 MiB of the data partition are reserved for the device itself.',
  params,
  query: UploadQuery,
  upload: { contentTypes: ZIP_TYPES, description: 'The zip archive' },
  status: 202,
  response: Operation,
  errors: [bundleInvalid, 'conflict', 'insufficient_storage', 'unavailable'],
});

export const ContentCheck = Type.Object(
  { ok: Type.Boolean(), message: Type.String({ description: 'If not ok, the reason' }) },
  { $id: 'ContentCheck' },
);
export type ContentCheck = Static<typeof ContentCheck>;

export const checkBundle = endpoint({
  method: 'POST',
  path: '/content/{name}/check',
  tag,
  summary: 'Verify a stored bundle',
  description:
    'Reads all of the archive again: the checks of an upload, and that it still is what was uploaded. 200 with `ok` ' +
    'false also if the file is missing or cannot be read. A damaged bundle stays listed, and can be deleted or replaced. ' +
    'Calls for one archive at the same time share one check; 429 `too_many_requests` while 2 others are being checked.',
  params,
  status: 200,
  response: ContentCheck,
  errors: [contentNotFound],
});

export const deleteBundle = endpoint({
  method: 'DELETE',
  path: '/content/{name}',
  tag,
  summary: 'Remove a bundle',
  description:
    'Answers when the bundle is permanently deleted; 409 `bundle_in_use` while it is displayed. Waits while a new archive ' +
    'of that name, verified already, is being put into its place, and removes the new one; 409 `conflict` if that takes ' +
    'longer than 30 s. While an upload is still being received, it removes the old bundle, and the upload continues.',
  params,
  status: 204,
  errors: [contentNotFound, bundleInUse, 'conflict', 'unavailable'],
});
