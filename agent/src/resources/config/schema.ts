import { type TObject, type TSchema, Type } from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';
import { topic } from '../../contract/topics.ts';
import { APPLIED } from './fields.ts';
import type { ConfigGroup } from './group.ts';
import { type JsonObject, patchSchema } from './tree.ts';

/** Version of the document's shape; what a newer agent may add without a new one: docs/contract.md. */
export const CONFIG_SCHEMA = 1;

/** The configuration's part of the contract, made from the groups of all resources. */
export type ConfigContract = ReturnType<typeof configContract>;

/** Builds schemas, endpoints and topic of the configuration from its groups. */
export function configContract(groups: readonly ConfigGroup[]) {
  const fields: Record<string, TSchema> = Object.fromEntries(
    groups.map(({ name, schema }) => [name, schema]),
  );
  const version = Type.Literal(CONFIG_SCHEMA, { default: CONFIG_SCHEMA, [APPLIED]: 'live' });
  /** The whole configuration (interface: Configuration; docs/contract.md). GET returns every field. */
  const Config: TObject = Type.Object(
    { schema: version, ...fields },
    { $id: 'Config', additionalProperties: false },
  );
  /** Any subset of the tree; null resets a field, or a whole group, to its default. */
  const ConfigPatch = Type.Unsafe<JsonObject>(
    patchSchema(Config, {
      $id: 'ConfigPatch',
      description: 'RFC 7396 merge patch: arrays are replaced as a whole, null resets to the default',
    }),
  );
  const Result = Type.Object(
    {
      config: Type.Unsafe<JsonObject>(Config),
      applied: Type.Record(Type.String(), Type.Enum(['live', 'reboot_required']), {
        description:
          'By dotted path of the field: in effect now, or stored and in effect after the next boot',
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
        paths: Type.Array(Type.String(), { description: 'Dotted paths of the fields in the patch' }),
        config: Config,
      }),
      'After every successful PATCH /config',
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
        'All or nothing: if one field is invalid, nothing changes. The change is stored before the response, then applied.',
      body: ConfigPatch,
      status: 200,
      response: Result,
      errors: [...groups.flatMap(({ errors }) => errors), 'insufficient_storage', 'unavailable'],
    }),
  };
}
