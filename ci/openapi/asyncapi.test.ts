import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { parse } from 'yaml';
import { topics } from '../../agent/src/resources/contract.ts';
import { asyncApi } from './asyncapi.ts';
import { frames } from './frames.ts';
import { asyncApiYaml } from './generate.ts';
import { isObject, type Json, type JsonObject } from './json.ts';

const require = createRequire(import.meta.url);
const { Ajv }: typeof import('ajv') = require('ajv');

const document = asyncApi(topics);
const whole: JsonObject = JSON.parse(JSON.stringify(document));

function at(pointer: string): Json | undefined {
  let value: Json | undefined = whole;
  for (const key of pointer.split('/').slice(1)) value = isObject(value) ? value[key] : undefined;
  return value;
}

/** Every `$ref` of a part of the document, in its order. */
function refsIn(value: Json | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  const { $ref } = value;
  return typeof $ref === 'string' ? [$ref] : Object.values(value).flatMap(refsIn);
}

/** The names of the messages that an operation names, or its reply. */
function messagesOf(operation: Json | undefined): string[] {
  const of = isObject(operation) ? operation.messages : undefined;
  return refsIn(of).map((path) => path.split('/').at(-1) ?? '');
}

test('each link has every frame in each direction, and every request its reply', () => {
  const links = frames(topics);
  const namesOf = (list: readonly { $id?: unknown }[]) =>
    list.map(({ $id }) => String($id).replace(/Frame$/, '')).filter((name) => name !== 'Event');
  const events = [...links.events.values()].map((schema: { $id?: unknown }) => String(schema.$id));
  assert.equal(events.length, topics.length);
  for (const [channel, received, sent] of [
    ['events', links.webSocket.client, links.webSocket.server],
    ['serial', links.serial.host, links.serial.device],
  ] as const) {
    const ours = Object.values(document.operations).filter((operation) =>
      refsIn(isObject(operation) ? operation.channel : undefined).includes(`#/channels/${channel}`),
    );
    const withAction = (action: string) => ours.filter((one) => isObject(one) && one.action === action);
    const requests = withAction('receive');
    assert.deepEqual(requests.flatMap(messagesOf), namesOf(received));
    const replies = requests.map((one) => messagesOf(isObject(one) ? one.reply : undefined));
    for (const [index, reply] of replies.entries()) assert.ok(reply.length > 0, namesOf(received)[index]);
    const answered = new Set([...replies.flat(), ...withAction('send').flatMap(messagesOf)]);
    assert.deepEqual(answered, new Set([...events, ...namesOf(sent)]), channel);
  }
});

test('every reference has a target, and every component is used', () => {
  const used = new Set(refsIn(whole));
  for (const path of used) assert.ok(at(path.slice(1)) !== undefined, path);
  for (const kind of ['messages', 'schemas'] as const) {
    for (const name of Object.keys(document.components[kind])) {
      assert.ok(used.has(`#/components/${kind}/${name}`), `${kind}/${name} is not used`);
    }
  }
});

test('every message has an example that fits its schema, as JSON Schema of draft 7', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema({ $id: 'vitrine:', components: document.components });
  for (const [name, message] of Object.entries(document.components.messages)) {
    assert.ok(isObject(message) && Array.isArray(message.examples) && message.examples.length > 0, name);
    const [schema = ''] = refsIn(message.payload);
    const validate = ajv.compile({ $ref: `vitrine:${schema}` });
    for (const example of message.examples) {
      const payload = isObject(example) ? example.payload : undefined;
      assert.ok(validate(payload), `${name}: ${ajv.errorsText(validate.errors)}`);
    }
    // Two frames are told by their type, events by their topic.
    const others = Object.entries(document.components.messages).filter(([other]) => other !== name);
    assert.ok(others.every(([, other]) => refsIn(isObject(other) ? other.payload : undefined)[0] !== schema));
  }
});

test('is committed as it is generated, and its YAML is read back as the same document', async () => {
  const committed = await readFile(new URL('../../docs/asyncapi.yaml', import.meta.url), 'utf8');
  assert.deepEqual(parse(asyncApiYaml()), whole);
  assert.equal(committed.slice(committed.indexOf('\n') + 1), asyncApiYaml(), 'run npm run generate');
});
