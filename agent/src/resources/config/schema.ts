import type { TObject, TSchema } from 'typebox';
import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';
import { APPLIED } from './fields.ts';
import type { ConfigGroup } from './group.ts';
import { type JsonObject, patchSchema } from './tree.ts';

/** Version of the document's shape; what a newer agent may add without a new one: docs/api.md: Stored files. */
export const CONFIG_SCHEMA = 1;

/** The configuration's part of the contract, made from the groups of all resources. */
export type ConfigContract = ReturnType<typeof configContract>;

/** Builds schemas, endpoints and topic of the configuration from its groups. */
export function configContract(groups: readonly ConfigGroup[]) {
  const fields: Record<string, TSchema> = Object.fromEntries(
    groups.map(({ name, schema }) => [name, schema]),
  );
  const version = Type.Literal(CONFIG_SCHEMA, { default: CONFIG_SCHEMA, [APPLIED]: 'live' });
  /** The whole configuration. GET returns every field. */
  const Config: TObject = Type.Object(
    { schema: version, ...fields },
    { $id: 'Config', additionalProperties: false },
  );
  /** Any subset of the tree; null resets a field, or a whole group, to its default. */
  const ConfigPatch = Type.Unsafe<JsonObject>(
    patchSchema(Config, {
      $id: 'ConfigPatch',
      examples: [{ display: { rotation: 90 } }],
      description:
        'RFC 7396 merge patch: lists are replaced as a whole; null resets a field, or every field of a group, to its ' +
        'default. Items of lists may omit fields that have a default. `schema` may be sent with the value that was read',
    }),
  );
  const Result = Type.Object(
    {
      config: Type.Unsafe<JsonObject>(Config),
      applied: Type.Record(Type.String(), Type.Enum(['live', 'reboot_required']), {
        description:
          'By dotted path, for each leaf of the patch, changed or not: in effect now, or stored and in effect after the next ' +
          'boot. Also `live` if the device lacks the hardware that the field configures',
      }),
    },
    { $id: 'ConfigPatchResult' },
  );
  return {
    groups,
    Config,
    ConfigPatch,
    configChanged: topic(
      'config_changed',
      Type.Object({
        paths: Type.Array(Type.String(), {
          description:
            'Dotted paths of the leaves of the patch, changed or not; a list is a leaf. Empty in a snapshot',
        }),
        config: Config,
      }),
      'After every successful PATCH /config, even one that changed nothing',
      { isState: true },
    ),
    getConfig: endpoint({
      method: 'GET',
      path: '/config',
      tag: 'Configuration',
      summary: 'The whole configuration',
      description:
        'Every field with its current value, set or default. Passphrases are returned as they were set.',
      status: 200,
      response: Config,
      errors: [],
    }),
    patchConfig: endpoint({
      method: 'PATCH',
      path: '/config',
      tag: 'Configuration',
      summary: 'Change part of the configuration',
      description:
        'All or nothing: if one field is invalid or unknown, nothing changes. The change is on disk before the response, then ' +
        'live fields are applied. If that fails, the value stays stored, `applied` says `reboot_required`, the log has the ' +
        'reason and `problems` of health names the field; the next patch with that field tries again, even with the same ' +
        'value, and so does the next boot. Patches take effect one after the other in order of arrival, whichever link they ' +
        'came from; at most 64 wait. All changes of one patch that need a restart of the browser cause one restart, after ' +
        'which the same page is shown again; unchanged values cause none.',
      body: ConfigPatch,
      status: 200,
      response: Result,
      errors: [...groups.flatMap(({ errors }) => errors), 'insufficient_storage', 'unavailable'],
    }),
  };
}
