/** The codec of Web NFC: bytes as the NFC Forum's documents have them, and rules as the specification has them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { repetitions } from '../../../testing/long-runs.ts';
import { PREFIXES } from '../../src/resources/nfc/ndef-uris.ts';
import { decodeMessage, decodePayload, type RecordFields } from './ndef-decode.ts';
import { encodeMessage, type RecordInit } from './ndef-encode.ts';
import { decodeRecords, encodeText } from './ndef-format.ts';
import { normalizedMimeType } from './ndef-mime.ts';

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const hex = (data: Uint8Array | null | undefined): string => Buffer.from(data ?? []).toString('hex');
const encode = (...records: RecordInit[]): Uint8Array => encodeMessage({ records }, 'en');
const text = (data: string): RecordInit => ({ recordType: 'text', data });
const url = (data: string): RecordInit => ({ recordType: 'url', data });
const poster = (...records: RecordInit[]): RecordInit => ({ recordType: 'smart-poster', data: { records } });
const NONE = { mediaType: null, id: null, encoding: null, lang: null };

/** The fields of the only record, its data in hexadecimal. */
function decoded(message: Uint8Array): object {
  const [record, ...others] = decodeMessage(message) ?? [];
  assert.ok(record);
  assert.deepEqual(others, []);
  return { ...record, data: record.data && hex(record.data) };
}

const VECTORS: readonly [
  string,
  RecordInit,
  string,
  Partial<Omit<RecordFields, 'data'>> & { data: string | null },
][] = [
  ['empty', { recordType: 'empty' }, 'd00000', { data: null }],
  ['text', text('A'), 'd1010454 02656e41', { data: '41', encoding: 'utf-8', lang: 'en' }],
  [
    'text of a language, with an id',
    { recordType: 'text', data: 'é', lang: 'fr-CA', id: 'x' },
    'd9010801 54 78 0566722d4341 c3a9',
    { data: 'c3a9', encoding: 'utf-8', lang: 'fr-CA', id: 'x' },
  ],
  [
    'text in UTF-16',
    { recordType: 'text', data: bytes('feff0041'), encoding: 'utf-16', lang: '' },
    'd1010554 80feff0041',
    { data: 'feff0041', encoding: 'utf-16be', lang: '' },
  ],
  [
    'url',
    url('https://example.com'),
    'd1010d55 04 6578616d706c652e636f6d2f',
    { data: hex(encodeText('https://example.com/')) },
  ],
  ['url without a known prefix', url('x:y'), 'd1010455 00783a79', { data: '783a79' }],
  [
    'mime',
    { recordType: 'mime', mediaType: 'Text/HTML; Charset="utf-8"', data: bytes('01') },
    `d21701 ${hex(encodeText('text/html;charset=utf-8'))} 01`,
    { data: '01', mediaType: 'text/html;charset=utf-8' },
  ],
  [
    'mime without a type that can be parsed',
    { recordType: 'mime', mediaType: 'text', data: bytes('') },
    `d21800 ${hex(encodeText('application/octet-stream'))}`,
    { data: '', mediaType: 'application/octet-stream' },
  ],
  ['absolute-url', { recordType: 'absolute-url', data: 'a:b' }, 'd30300 613a62', { data: '613a62' }],
  ['unknown', { recordType: 'unknown', data: bytes('0102') }, 'd50002 0102', { data: '0102' }],
  [
    'external',
    { recordType: 'W3.org:Abc', data: bytes('05') },
    `d40a01 ${hex(encodeText('w3.org:Abc'))} 05`,
    { data: '05', recordType: 'w3.org:Abc' },
  ],
  [
    'external of a domain in Unicode',
    { recordType: 'håndværker.dk:abc', data: bytes('') },
    `d41800 ${hex(encodeText('xn--hndvrker-9zan.dk:abc'))}`,
    { data: '', recordType: 'håndværker.dk:abc' },
  ],
  [
    'smart-poster, whose address comes first',
    poster({ recordType: ':act', data: bytes('00') }, url('tel:1')),
    'd1020d5370 91010255 0531 5103016163 7400',
    { data: '91010255053151030161637400' },
  ],
];

describe('records', () => {
  for (const [name, record, expected, fields] of VECTORS) {
    test(name, () => {
      const message = encode(record);
      assert.equal(hex(message), expected.replaceAll(' ', ''));
      assert.deepEqual(decoded(message), { ...NONE, recordType: record.recordType, ...fields });
    });
  }

  test('several of them, also long ones, have one begin and one end', () => {
    const long = { recordType: 'unknown', data: new Uint8Array(256).fill(7) };
    const message = encode(text('A'), long, { recordType: 'empty' });
    assert.equal(hex(message), `9101045402656e41050000000100${'07'.repeat(256)}500000`);
    const types = decodeMessage(message)?.map(({ recordType }) => recordType);
    assert.deepEqual(types, ['text', 'unknown', 'empty']);
  });

  test('every prefix of addresses is used, the longest one, and read again', () => {
    for (const [code, prefix] of PREFIXES.entries()) {
      const message = bytes(`d1010355${code.toString(16).padStart(2, '0')}6161`);
      assert.deepEqual(decoded(message), {
        ...NONE,
        recordType: 'url',
        data: hex(encodeText(`${prefix}aa`)),
      });
      const address = `${prefix === '' ? 'x:' : prefix}aa`;
      if (!URL.canParse(address)) continue;
      const { data } = decodeMessage(encode(url(address)))?.[0] ?? {};
      assert.equal(hex(data), hex(encodeText(new URL(address).href)), prefix);
    }
    assert.equal(encode(url('https://www.example.com/'))[4], 2);
    assert.equal(encode(url('urn:epc:id:1'))[4], 30);
    // A code without a prefix is part of the data.
    assert.deepEqual(decoded(bytes('d10102552461')), { ...NONE, recordType: 'url', data: '2461' });
  });

  test('chunks on a tag are one record; an incomplete one is no message', () => {
    const chunked = bytes('b5000201023600010356000104');
    assert.deepEqual(decoded(chunked), { ...NONE, recordType: 'unknown', data: '01020304' });
    assert.equal(decodeMessage(bytes('b50002010236000103')), undefined);
    assert.equal(decodeMessage(bytes('b500020102550000')), undefined);
  });

  test('those without a name in Web NFC are left out', () => {
    // A handover request, a local type that is not in a record, a reserved format, a bad external type, a cut language.
    for (const record of ['d1020048 72', 'd103016163 7400', 'd70000', 'd4010061', 'd101015402']) {
      assert.deepEqual(decodeMessage(bytes(record)), [], record);
    }
    assert.deepEqual(decodeMessage(bytes('')), []);
    for (const record of ['d1', 'd100', '510000', 'd10105', 'd1010455', 'c101ffffffff55']) {
      assert.equal(decodeMessage(bytes(record)), undefined, record);
    }
  });
});

describe('what cannot be written', () => {
  const inner = (...records: RecordInit[]): RecordInit => ({ recordType: 'a.b:c', data: { records } });
  let deep: RecordInit = inner(text('x'));
  for (let level = 2; level < 32; level += 1) deep = inner(deep);
  const cases: readonly [string, string, RecordInit[]][] = [
    ['TypeError', 'no records', []],
    ['TypeError', 'no records inside', [inner()]],
    ['TypeError', 'a type that is none', [{ recordType: 'Text', data: 'x' }]],
    ['TypeError', 'an id of an empty record', [{ recordType: 'empty', id: 'x' }]],
    ['TypeError', 'a mediaType of a text', [{ ...text('x'), mediaType: 'text/plain' }]],
    ['TypeError', 'a text without data', [{ recordType: 'text' }]],
    ['TypeError', 'a text of something else', [{ recordType: 'text', data: null }]],
    ['TypeError', 'a string in another encoding', [{ ...text('x'), encoding: 'utf-16' }]],
    ['TypeError', 'an unknown encoding', [{ recordType: 'text', data: bytes('00'), encoding: 'latin1' }]],
    ['SyntaxError', 'a long language', [{ ...text('x'), lang: 'x'.repeat(64) }]],
    ['TypeError', 'a URL of bytes', [{ recordType: 'url', data: bytes('61') }]],
    ['SyntaxError', 'a relative URL', [url('page')]],
    ['SyntaxError', 'a relative absolute-url', [{ recordType: 'absolute-url', data: 'page' }]],
    ['TypeError', 'a long absolute-url', [{ recordType: 'absolute-url', data: `x:${'y'.repeat(254)}` }]],
    ['TypeError', 'mime of a string', [{ recordType: 'mime', data: 'x' }]],
    ['TypeError', 'unknown of a string', [{ recordType: 'unknown', data: 'x' }]],
    ['TypeError', 'a long id', [{ ...text('x'), id: 'x'.repeat(256) }]],
    ['TypeError', 'an external type of a string', [{ recordType: 'a.b:c', data: 'x' }]],
    ['TypeError', 'a long external type', [{ recordType: `a.b:${'c'.repeat(252)}`, data: bytes('') }]],
    ...[
      'a.b',
      'a.b:',
      ':',
      ':Abc',
      'a..b:c',
      '-a.b:c',
      'a b:c',
      'a/b:c',
      'a.b:c d',
      'a.b:c/d',
      'é%:c',
      'a.b:é',
    ].map((recordType): [string, string, RecordInit[]] => [
      'TypeError',
      `the type ${recordType}`,
      [inner({ recordType, data: bytes('') })],
    ]),
    ['TypeError', 'a local type outside of a record', [{ recordType: ':act', data: bytes('00') }]],
    ['TypeError', 'a smart poster of bytes', [{ recordType: 'smart-poster', data: bytes('00') }]],
    ['TypeError', 'a smart poster without address', [poster(text('x'))]],
    ['TypeError', 'a smart poster with two addresses', [poster(url('a:b'), url('a:c'))]],
    [
      'TypeError',
      'an absolute-url in a smart poster',
      [poster(url('a:b'), { recordType: 'absolute-url', data: 'a:b' })],
    ],
    ...[':s', ':t', ':act'].map((recordType): [string, string, RecordInit[]] => [
      'TypeError',
      `a smart poster with ${recordType} twice`,
      [poster(url('a:b'), { recordType, data: bytes('00') }, { recordType, data: bytes('00') })],
    ]),
    ['TypeError', 'a long size', [poster(url('a:b'), { recordType: ':s', data: bytes('0000000000') })]],
    ['TypeError', 'a long action', [poster(url('a:b'), { recordType: ':act', data: bytes('0000') })]],
    ['TypeError', 'deep nesting', [inner(deep)]],
  ];
  for (const [error, name, records] of cases) {
    test(name, () => assert.throws(() => encode(...records), { name: error }));
  }
  test('32 levels are allowed', () => {
    assert.ok(encode(deep).length > 31 * 8);
  });
});

test('the payload of a record: what is no message is null, and what is not allowed a TypeError', () => {
  const [whole] =
    decodeMessage(encode(poster(url('a:b'), text('x'), { recordType: ':s', data: bytes('00000001') }))) ?? [];
  assert.ok(whole?.data);
  const types = decodePayload(whole.data, 'smart-poster')?.map(({ recordType }) => recordType);
  assert.deepEqual(types, ['url', 'text', ':s']);
  for (const payload of ['', 'd1', '510000', 'd10104'])
    assert.equal(decodePayload(bytes(payload), 'external'), null);
  assert.deepEqual(decodePayload(bytes('d4010061'), 'external'), []);
  for (const [payload, context] of [
    ['d1020048 72', 'external'],
    ['d60000', 'local'],
    ['d1010454 02656e41', 'smart-poster'],
    ['9101025505315101017300', 'smart-poster'],
    ['9101025505315103026163740000', 'smart-poster'],
  ] as const) {
    assert.throws(() => decodePayload(bytes(payload), context), TypeError, payload);
  }
});

test('MIME types are parsed as browsers do', () => {
  for (const [given, expected] of [
    ['TEXT/Plain', 'text/plain'],
    [' text/html ;a', 'text/html'],
    ['a/b;c=d;C=e;f="g h";i="\\"j', 'a/b;c=d;f="g h";i="\\"j"'],
    ['a/b;c=;d="";e= f ;;g=\u0100', 'a/b;d="";e=" f"'],
    ['a/b;c="d"e;f=g', 'a/b;c=d;f=g'],
    ['a', undefined],
    ['a/', undefined],
    ['/b', undefined],
    ['a b/c', undefined],
    ['a/b c', undefined],
  ] as const) {
    assert.equal(normalizedMimeType(given), expected, given);
  }
});

const data = fc.uint8Array({ maxLength: 300 });
const id = fc.option(fc.string({ maxLength: 40, unit: 'grapheme' }), { nil: undefined });
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,6}[a-z0-9])?$/).filter((part) => !/^..--/.test(part));
const external = fc.tuple(label, label, fc.stringMatching(/^[A-Za-z0-9$'()*+,\-.;=@_]{1,9}$/));
const domain = fc.constantFrom('bücher.example', '例え.テスト', 'ñandú.es');

/** A record, and what is read of it. */
type Case = [RecordInit, Omit<RecordFields, 'id'>];
const plain = { mediaType: null, encoding: null, lang: null };
const record: fc.Arbitrary<Case> = fc.oneof(
  fc.tuple(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[a-zA-Z-]{0,63}$/)).map(
    ([data, lang]): Case => [
      { recordType: 'text', data, lang },
      { ...plain, recordType: 'text', data: encodeText(data), encoding: 'utf-8', lang },
    ],
  ),
  fc.tuple(data, fc.constantFrom('utf-8', 'utf-16', 'utf-16le', 'utf-16be')).map(
    ([data, encoding]): Case => [
      { recordType: 'text', data, encoding },
      {
        ...plain,
        recordType: 'text',
        data,
        encoding: encoding === 'utf-8' ? encoding : 'utf-16be',
        lang: 'en',
      },
    ],
  ),
  fc.webUrl({ withFragments: true, withQueryParameters: true }).map(
    (data): Case => [
      { recordType: 'url', data },
      { ...plain, recordType: 'url', data: encodeText(new URL(data).href) },
    ],
  ),
  data.map(
    (data): Case => [
      { recordType: 'unknown', data },
      { ...plain, recordType: 'unknown', data },
    ],
  ),
  fc.tuple(data, fc.string({ maxLength: 60 })).map(
    ([data, mediaType]): Case => [
      { recordType: 'mime', data, mediaType: `x/y;z="${mediaType}"` },
      { ...plain, recordType: 'mime', data, mediaType: normalizedMimeType(`x/y;z="${mediaType}"`) ?? '' },
    ],
  ),
  fc
    .tuple(external, data, fc.option(domain, { nil: undefined }))
    .map(([[a, b, type], data, unicode]): Case => {
      const recordType = `${unicode ?? `${a}.${b}`}:${type}`;
      return [
        { recordType, data },
        { ...plain, recordType, data },
      ];
    }),
);

test('what is encoded is decoded to the same, also inside of records', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(record, id), { minLength: 1, maxLength: 6 }), (given) => {
      const records = given.map(([[init], id]) => ({ ...init, id }));
      const expected = given.map(([[, fields], id]) => ({ ...fields, id: id?.toWellFormed() ?? null }));
      const message = encode(...records);
      assert.deepEqual(decodeMessage(message), expected);
      const [outer] = decodeMessage(encode({ recordType: 'a.b:c', data: { records } })) ?? [];
      assert.deepEqual(outer?.data, message);
      assert.deepEqual(decodePayload(message, 'external'), expected);
    }),
    { numRuns: repetitions(150, 3000) },
  );
});

test('whatever is on a tag: an error is a TypeError of toRecords, and no record is larger than the message', () => {
  const damaged = fc
    .tuple(
      fc.array(record, { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 4 }),
    )
    .map(([records, changes]) => {
      const message = encode(...records.map(([init]) => init));
      for (const [at, value] of changes) message[at % message.length] = value;
      return message;
    });
  let messages = 0;
  let refused = 0;
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 80 }), damaged), (message) => {
      const records = decodeMessage(message);
      if (records) messages += 1;
      const total = decodeRecords(message, true)?.reduce((sum, { payload }) => sum + payload.length, 0) ?? 0;
      assert.ok(total <= message.length);
      for (const context of ['smart-poster', 'external', 'local'] as const) {
        try {
          decodePayload(message, context);
        } catch (error) {
          assert.ok(error instanceof TypeError);
          refused += 1;
        }
      }
    }),
    { numRuns: repetitions(600, 20_000) },
  );
  assert.ok(messages > 100 && refused > 50, `${messages} messages, ${refused} refused`);
});
