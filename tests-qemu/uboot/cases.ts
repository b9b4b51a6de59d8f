/** Generates the test cases: every state of the environment that a boot can find. */
import type { Content, Files } from './disk.ts';
import { ENVIRONMENT_SIZE, encode } from './environment.ts';
import { expectedBoot, type Slot } from './oracle.ts';

export interface Case {
  name: string;
  files: Files;
  slots?: Partial<Record<Slot, Content>>;
}

/** RAUC writes the first four, and "" when both slots are marked bad. No program writes the others. */
const ORDERS = ['A B', 'B A', 'A', 'B', '', undefined, 'C', 'A A'] as const;
/** Further invalid orders. */
const ODD_ORDERS = ['C B', 'B C A', ' B  A ', 'A;reset'] as const;
const COUNTS = ['0', '1', '2', '3', undefined, 'x'] as const;
/** Further invalid or unusual counters, each combined with a valid one. */
const ODD_COUNTS = ['', '7', '255', '-1', '0x', 'A B', '$(reset)'] as const;
/** Generations of copy 0 and copy 1: consecutive, wrapping around, across the sign bit, equal, far apart. */
const GENERATIONS = [
  [0, 1],
  [1, 0],
  [1, 2],
  [2, 1],
  [0, 0],
  [5, 5],
  [255, 255],
  [255, 0],
  [0, 255],
  [254, 255],
  [255, 254],
  [127, 128],
  [128, 127],
  [15, 16],
  [16, 15],
  [1, 255],
  [255, 1],
  [9, 200],
] as const;
const SECTOR = 512;
/** A long variable, so that the data extends far beyond the first sector and can be written partly. */
const FILLER = { FILLER: 'x'.repeat(ENVIRONMENT_SIZE - 200) };

/** Damages that make a copy invalid. */
const DAMAGES: readonly (readonly [name: string, damage: (copy: Buffer) => Buffer | undefined])[] = [
  ['missing', () => undefined],
  ['empty', () => Buffer.alloc(0)],
  ['all zero', () => Buffer.alloc(ENVIRONMENT_SIZE)],
  ['all ones', () => Buffer.alloc(ENVIRONMENT_SIZE, 0xff)],
  ['with a wrong crc', (copy) => flipped(copy, 0)],
  ['with a wrong letter', (copy) => flipped(copy, 8)],
  ['with a wrong last byte', (copy) => flipped(copy, ENVIRONMENT_SIZE - 1)],
  ['a header only', (copy) => copy.subarray(0, 5)],
  ['one sector long', (copy) => copy.subarray(0, SECTOR)],
  // The missing byte may still be in memory from an earlier boot.
  ['a byte short', (copy) => copy.subarray(0, ENVIRONMENT_SIZE - 1)],
];

type Variables = Record<string, string>;

/** Every order with every pair of counters. */
function decisions(): Variables[] {
  return ORDERS.flatMap((order) => COUNTS.flatMap((a) => COUNTS.map((b) => variables(order, a, b))));
}

/**
 * Every order with every pair of counters, in copy 0 and in copy 1, alternately as the newer and as the only valid copy.
 * Generations and damages vary. The copy that is not active would select the other slot.
 */
export function product(): Case[] {
  return decisions().flatMap((made, i) => {
    const other = decoy(made);
    const generation = i % 256;
    const older = encode({ generation, variables: other });
    const newer = encode({ generation: (generation + 1) % 256, variables: made });
    const [what, damage] = cyclic(DAMAGES, i);
    const name = JSON.stringify(made);
    const newer0: Case = { name: `copy 0 newer (after ${generation}): ${name}`, files: [newer, older] };
    const newer1: Case = { name: `copy 1 newer (after ${generation}): ${name}`, files: [older, newer] };
    const alone0: Case = { name: `copy 0 alone, copy 1 ${what}: ${name}`, files: [newer, damage(older)] };
    const alone1: Case = { name: `copy 1 alone, copy 0 ${what}: ${name}`, files: [damage(older), newer] };
    return i % 2 === 0 ? [newer0, alone1] : [alone0, newer1];
  });
}

/** All relations of generations, all damages of either copy and of both, invalid orders, counters and sizes. */
export function states(): Case[] {
  const made = variables('A B', '3', '2');
  const other = decoy(made);
  const copies = [
    encode({ generation: 7, variables: made }),
    encode({ generation: 8, variables: other }),
  ] as const;
  const generations = GENERATIONS.flatMap(([first, second]): Case[] =>
    [
      [made, other],
      [other, made],
    ].map(([a = {}, b = {}]) => ({
      name: `generations ${first} and ${second}: ${JSON.stringify([a, b])}`,
      files: [encode({ generation: first, variables: a }), encode({ generation: second, variables: b })],
    })),
  );
  const damaged = DAMAGES.flatMap(([what, damage], i): Case[] => {
    const [otherWhat, otherDamage] = cyclic(DAMAGES, i + 1);
    return [
      { name: `copy 0 ${what}`, files: [damage(copies[0]), copies[1]] },
      { name: `copy 1 ${what}`, files: [copies[0], damage(copies[1])] },
      { name: `both ${what}`, files: [damage(copies[0]), damage(copies[1])] },
      { name: `copy 0 ${what}, copy 1 ${otherWhat}`, files: [damage(copies[0]), otherDamage(copies[1])] },
    ];
  });
  const odd = [
    ...ODD_COUNTS.flatMap((count) => [
      variables('A B', count, '3'),
      variables('B A', '3', count),
      variables('A B', count, count),
    ]),
    ...ODD_ORDERS.flatMap((order) => [
      variables(order, '3', '3'),
      variables(order, '2', '0'),
      variables(order, '0', '1'),
      variables(order, '0', '0'),
    ]),
  ].map(
    (each): Case => ({
      name: JSON.stringify(each),
      files: [encode({ generation: 1, variables: each }), copies[1].subarray(0, 5)],
    }),
  );
  const tail = Buffer.alloc(5000, 'tail');
  const further: Case[] = [
    {
      name: 'copies longer than they should be',
      files: [Buffer.concat([copies[0], tail]), Buffer.concat([copies[1], tail])],
    },
    { name: 'no variable at all', files: [encode({ generation: 3, variables: {} }), undefined] },
    {
      name: 'with additional variables',
      files: [encode({ generation: 3, variables: { ...FILLER, ...made } }), copies[1]],
    },
  ];
  return [...generations, ...damaged, ...odd, ...further];
}

/** The write of a boot, interrupted after each sector, or with only some of its sectors on the disk. */
export function torn(): Case[] {
  const made = variables('B A', '2', '3');
  const valid = encode({ generation: 41, variables: made });
  const before = encode({ generation: 40, variables: { ...decoy(made), ...FILLER } });
  const { written } = expectedBoot([{ generation: 41, variables: made }, undefined]);
  const after = encode(written);
  const sectors = ENVIRONMENT_SIZE / SECTOR;
  const keeps: [string, (sector: number) => boolean][] = [
    ...Array.from({ length: sectors + 1 }, (_, count): [string, (sector: number) => boolean] => [
      `after ${count} sectors`,
      (sector) => sector < count,
    ]),
    ['with its even sectors', (sector) => sector % 2 === 0],
    ['with its odd sectors', (sector) => sector % 2 === 1],
    ['all but its first sector', (sector) => sector > 0],
  ];
  return keeps.flatMap(([what, keep]): Case[] => {
    const copy = Buffer.from(before);
    for (let sector = 0; sector < sectors; sector++) {
      if (keep(sector)) after.copy(copy, sector * SECTOR, sector * SECTOR, (sector + 1) * SECTOR);
    }
    return [
      { name: `the write of copy 1 cut ${what}`, files: [valid, copy] },
      { name: `the write of copy 0 cut ${what}`, files: [copy, valid] },
    ];
  });
}

/** The cases for real boots: a sample of {@link product}, four per order, and slots with a missing file. */
export function booted(): Case[] {
  const all = product();
  const perOrder = all.length / ORDERS.length;
  // An odd step selects both copies, as the newer and as the only one, with different counters for each order.
  const sample = ORDERS.flatMap((_, order) =>
    [0, 1, 2, 3].flatMap((i) => all[order * perOrder + ((order * 5 + i * 19) % perOrder)] ?? []),
  );
  const lacking = (['without-kernel', 'without-initramfs'] as const).flatMap((content) =>
    (['A', 'B'] as const).flatMap((slot): Case[] => {
      const [order, other] = slot === 'A' ? ['A B', 'B A'] : ['B A', 'A B'];
      const files = (first: string, left: string): Files => [
        encode({ generation: 1, variables: variables(first, left, left) }),
        undefined,
      ];
      return [
        { name: `slot ${slot} ${content}, first`, files: files(order, '2'), slots: { [slot]: content } },
        { name: `slot ${slot} ${content}, second`, files: files(other, '1'), slots: { [slot]: content } },
      ];
    }),
  );
  return [...sample, ...lacking];
}

/** Variables that select the other slot. */
function decoy(made: Variables): Variables {
  const { slot } = expectedBoot([{ generation: 0, variables: made }, undefined]);
  return slot === 'A' ? variables('B A', '1', '2') : variables('A B', '2', '1');
}

function flipped(copy: Buffer, at: number): Buffer {
  const damaged = Buffer.from(copy);
  damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
  return damaged;
}

function cyclic<T>(list: readonly T[], index: number): T {
  const [item] = list.slice(index % list.length);
  if (item === undefined) throw new Error('an empty list');
  return item;
}

function variables(order?: string, a?: string, b?: string): Variables {
  return {
    ...(order !== undefined && { BOOT_ORDER: order }),
    ...(a !== undefined && { BOOT_A_LEFT: a }),
    ...(b !== undefined && { BOOT_B_LEFT: b }),
  };
}
