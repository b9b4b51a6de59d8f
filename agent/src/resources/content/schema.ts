import { type Static, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { defineError } from '../../contract/errors.ts';
import { Timestamp } from '../../contract/shared.ts';
import { ZIP_TYPES } from '../../contract/upload-types.ts';
import { Operation, UploadQuery } from '../operations/schema.ts';

/** Pattern of a bundle's name: a DNS label, since each bundle is the web origin `http://<name>.localhost`. */
export const BUNDLE_NAME = '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$';

export const contentNotFound = defineError('content_not_found', 404, 'No bundle has that name.');
export const bundleInUse = defineError('bundle_in_use', 409, 'The bundle is on the screen.');
export const bundleInvalid = defineError('bundle_invalid', 400, 'The archive is not a valid bundle.');

export const BundleName = Type.String({
  pattern: BUNDLE_NAME,
  description: 'A DNS label: 1 to 63 of a-z, 0-9 and, inside, -',
  examples: ['menu'],
});

/** A stored content bundle (interface: Content). */
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
  description: 'Bundles as they were when they were stored; `active` marks the one on the screen.',
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
    'A zip archive with `index.html` at its root, stored and served as it is. The answer comes when the archive has been verified; an invalid archive leaves the bundle of that name unchanged. The operation is `done` when the new bundle is stored permanently. Answers 409 `conflict` while the same name is being received, 429 `too_many_requests` while 4 bundles are, and 507 `insufficient_storage` when there is no room for the announced length beside what is stored.',
  params,
  query: UploadQuery,
  upload: { contentTypes: ZIP_TYPES, description: 'The zip archive' },
  status: 202,
  response: Operation,
  errors: [bundleInvalid, 'conflict', 'insufficient_storage', 'unavailable'],
});

export const ContentCheck = Type.Object(
  { ok: Type.Boolean(), message: Type.String({ description: 'When not ok, the reason' }) },
  { $id: 'ContentCheck' },
);
export type ContentCheck = Static<typeof ContentCheck>;

export const checkBundle = endpoint({
  method: 'POST',
  path: '/content/{name}/check',
  tag,
  summary: 'Verify a stored bundle',
  description:
    'Reads all of the archive again: the checks of an upload, and that it still is what was uploaded. Calls for one archive at the same time share one check; 429 `too_many_requests` while 2 others are being checked.',
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
    'Answers when the bundle is permanently deleted. Waits while a new archive of that name, verified already, is being put into its place; 409 `conflict` if that takes longer than 30 s.',
  params,
  status: 204,
  errors: [contentNotFound, bundleInUse, 'conflict', 'unavailable'],
});
