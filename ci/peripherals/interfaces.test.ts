/** The shims beside Chromium's own interfaces: the same names, properties and kinds of errors. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PeripheralStage } from './stage.ts';

let stage: PeripheralStage;
before(async () => {
  stage = await PeripheralStage.launch();
});
after(() => stage.close());

/** Runs in a page: what scripts can see of a class. */
function describeInterfaces(): { shims: Record<string, string[]>; natives: Record<string, string[]> } {
  const describeProperty = (target: object, key: string | symbol): string => {
    const found = Object.getOwnPropertyDescriptor(target, key);
    const { get, set, value, ...flags } = found ?? {};
    const parts = [String(key), ...Object.entries(flags).flatMap(([flag, on]) => (on ? [flag] : []))];
    if (get) parts.push(get.name, `length ${get.length}`);
    if (set) parts.push(set.name, `length ${set.length}`);
    if (typeof value === 'function') {
      parts.push('function', value.name, `length ${value.length}`);
      parts.push(`new-able: ${Object.hasOwn(value, 'prototype')}`);
    } else if (typeof value !== 'object') parts.push(`${value}`);
    return parts.join(', ');
  };
  const describe = (type: unknown): string[] => {
    if (typeof type !== 'function') return ['missing'];
    return [
      ...Reflect.ownKeys(type.prototype).map((key) => `prototype.${describeProperty(type.prototype, key)}`),
      ...['length', 'name', 'prototype'].map((key) => describeProperty(type, key)),
      `extends ${Object.getPrototypeOf(type.prototype).constructor.name}`,
    ].sort();
  };
  const { classes, accessors } = window.native;
  const shims: Record<string, string[]> = {};
  const natives: Record<string, string[]> = {};
  for (const [name, type] of Object.entries(classes)) {
    natives[name] = describe(type);
    shims[name] = describe(Reflect.get(window, name));
    const { value, ...flags } = Object.getOwnPropertyDescriptor(window, name) ?? {};
    shims[name].push(JSON.stringify(flags));
    natives[name].push('{"writable":true,"enumerable":false,"configurable":true}');
  }
  const native = {};
  for (const [name, accessor] of Object.entries(accessors)) {
    if (accessor) Object.defineProperty(native, name, accessor);
    natives[`navigator.${name}`] = [describeProperty(native, name)];
    shims[`navigator.${name}`] = [describeProperty(Navigator.prototype, name)];
  }
  return { shims, natives };
}

test('classes, prototypes and their properties are those of Chromium', async () => {
  const page = await stage.page();
  const { shims, natives } = await page.evaluate(describeInterfaces);
  assert.equal(Object.keys(natives).length, 22);
  const different = Object.entries(natives).flatMap(([name, lines]) => {
    const own = shims[name] ?? [];
    return [
      ...lines.filter((line) => !own.includes(line)).map((line) => `${name} has not: ${line}`),
      ...own.filter((line) => !lines.includes(line)).map((line) => `${name} has: ${line}`),
    ];
  });
  // Chromium has no constructor for it; the specification has one.
  const name = 'HIDInputReportEvent';
  const made = 'prototype.constructor, writable, configurable, function, HIDInputReportEvent, length';
  assert.deepEqual(different, [
    `${name} has not: length, configurable, 0`,
    `${name} has not: ${made} 0, new-able: true`,
    `${name} has: length, configurable, 2`,
    `${name} has: ${made} 2, new-able: true`,
  ]);
});

test('wrong uses have the errors of Chromium', async () => {
  const page = await stage.page();
  const results = await page.evaluate(async () => {
    const { classes, accessors } = window.native;
    interface Side {
      type: (name: string) => unknown;
      /** An attribute of `navigator`. */
      object: (name: string) => object;
      make: (name: string, ...args: unknown[]) => object;
    }
    const sideOf = (type: Side['type'], object: Side['object']): Side => ({
      type,
      object,
      make: (name, ...args) => {
        const made = type(name);
        if (typeof made !== 'function') throw new Error(`There is no ${name}.`);
        return Reflect.construct(made, args);
      },
    });
    const natives = sideOf(
      (name) => classes[name],
      (name) => Reflect.apply(accessors[name]?.get ?? String, navigator, []),
    );
    const shims = sideOf(
      (name) => Reflect.get(window, name),
      (name) => Reflect.get(navigator, name),
    );
    const call = (target: object, name: string, ...args: unknown[]): unknown =>
      Reflect.apply(Reflect.get(target, name), target, args);
    const prototypeOf = ({ type }: Side, name: string): object =>
      Reflect.get(Object(type(name)), 'prototype');

    const uses: Record<string, (side: Side) => unknown> = {
      ...Object.fromEntries(
        Object.keys(classes)
          .filter((name) => name !== 'HIDInputReportEvent')
          .map((name) => [`new ${name}()`, ({ make }: Side) => make(name)]),
      ),
      'a HID event without a device': ({ make }) => make('HIDConnectionEvent', 'connect', { device: {} }),
      'a USB event without a device': ({ make }) => make('USBConnectionEvent', 'connect', {}),
      'a result with a wrong status': ({ make }) => make('USBInTransferResult', 'bad'),
      'a result with wrong data': ({ make }) => make('USBInTransferResult', 'ok', new Uint8Array(1)),
      'a result without data': ({ make }) => Reflect.get(make('USBInTransferResult', 'stall'), 'data'),
      'bytes written': ({ make }) => Reflect.get(make('USBOutTransferResult', 'babble', 7), 'bytesWritten'),
      packets: ({ make }) => {
        const packet = make('USBIsochronousOutTransferPacket', 'ok', 3);
        const { packets } = Object.assign(
          { packets: [] },
          { packets: Reflect.get(make('USBIsochronousOutTransferResult', [packet]), 'packets') },
        );
        return [packets[0] === packet, Object.isFrozen(packets), Reflect.get(packet, 'bytesWritten')];
      },
      'packets of another type': ({ make }) => make('USBIsochronousInTransferResult', [{}]),
      'an operation of another object': (side) =>
        Reflect.apply(Reflect.get(prototypeOf(side, 'HID'), 'getDevices'), {}, []),
      'an attribute of another object': (side) => Reflect.get(prototypeOf(side, 'HIDDevice'), 'opened'),
      'a handler that is no function': ({ object }) => {
        Reflect.set(object('hid'), 'onconnect', 5);
        return Reflect.get(object('hid'), 'onconnect');
      },
      'a handler that is an object': ({ object }) => {
        Reflect.set(object('serial'), 'onconnect', {});
        return typeof Reflect.get(object('serial'), 'onconnect');
      },
      'no options': ({ object }) => call(object('hid'), 'requestDevice'),
      'no filters': ({ object }) => call(object('usb'), 'requestDevice', {}),
      'filters of another type': ({ object }) => call(object('hid'), 'requestDevice', { filters: 1 }),
      'a filter without a member': ({ object }) => call(object('serial'), 'requestPort', { filters: [{}] }),
      'a filter without a vendor': ({ object }) =>
        call(object('serial'), 'requestPort', { filters: [{ usbProductId: 1 }] }),
      'a tag': ({ object }) => String(object('usb')),
    };
    const outcome = async (run: () => unknown): Promise<string> => {
      try {
        const value = run();
        const isPromise = value instanceof Promise;
        return `${isPromise ? 'promise of ' : ''}${JSON.stringify(await value)}`;
      } catch (error) {
        return error instanceof Error ? error.name : 'thrown';
      }
    };
    const different: string[] = [];
    for (const [name, use] of Object.entries(uses)) {
      const wanted = await outcome(() => use(natives));
      const got = await outcome(() => use(shims));
      if (wanted !== got) different.push(`${name}: ${got}, not ${wanted}`);
    }
    return { different, count: Object.keys(uses).length };
  });
  assert.deepEqual(results, { different: [], count: 36 });
});

test('a page cannot get functions of the shims as the callers of its own', async () => {
  const page = await stage.page(['hid']);
  // As text: functions of modules are strict, and have no callers.
  const callers = await page.evaluate(`(async () => {
    const callers = [];
    function next() {
      callers.push(String(next.caller));
      return { done: true };
    }
    await navigator.hid.requestDevice({ filters: { [Symbol.iterator]: () => ({ next }) } });
    return callers;
  })()`);
  assert.deepEqual(callers, ['null']);
});

test('a page gets the interfaces of its list only, and talks with nobody before its first call', async () => {
  const page = await stage.page(['hid']);
  const found = await page.evaluate(async () => {
    const names = Object.getOwnPropertyNames(window).filter((name) => /^(HID|Serial|USB)/.test(name));
    const before = window.agent.requests.length;
    const devices = await navigator.hid.getDevices();
    const others: unknown[] = ['serial' in navigator, 'usb' in navigator];
    try {
      others.push(Reflect.get(Navigator.prototype, 'hid', {}));
    } catch (error) {
      others.push(error instanceof TypeError);
    }
    return { names, before, devices, others };
  });
  assert.deepEqual(found, {
    names: ['HID', 'HIDDevice', 'HIDConnectionEvent', 'HIDInputReportEvent'],
    before: 0,
    devices: [],
    others: [false, false, true],
  });
});
