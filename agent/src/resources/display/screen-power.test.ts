import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { waitFor } from '../../../../testing/wait.ts';
import { createLogger } from '../../base/logger.ts';
import type { Television, TelevisionReport } from './ports.ts';
import { GIVE_UP_MS, RESEND_MS } from './power-machine.ts';
import { ScreenPower } from './screen-power.ts';

const READ_MS = { switching: 1, idle: 1 };

let now = 0;
let report: TelevisionReport | Error;
let isAcknowledged: boolean;
let commands: string[];
let primary: { id: string; connected: boolean };
let power: ScreenPower;

const television: Television = {
  read: async () => {
    if (report instanceof Error) throw report;
    return report;
  },
  switch: async (connector, on) => {
    if (!isAcknowledged) throw new Error('the television does not answer');
    commands.push(`${connector} ${on ? 'on' : 'off'}`);
  },
};

beforeEach(() => {
  report = { state: 'plugged', power: 'on' };
  isAcknowledged = true;
  commands = [];
  primary = { id: 'HDMI-A-2', connected: true };
  power = new ScreenPower({
    ...{ television, readMs: READ_MS, log: createLogger('silent') },
    primary: () => primary,
    changed: () => undefined,
    now: () => now,
  });
});

afterEach(() => power.stop());

const until = (what: string, isSo: () => boolean) =>
  waitFor(isSo, { timeoutMs: 20_000, what, intervalMs: 2 });

test('a television that looks unplugged is woken, also by an agent that has just started', async () => {
  report = { state: 'unplugged' };
  await power.request(true);
  assert.deepEqual(commands, ['HDMI-A-2 on']);
  isAcknowledged = false;
  await assert.rejects(power.request(true), { code: 'unavailable', message: /does not answer/ });
  await assert.rejects(power.request(false), { code: 'unavailable', message: /nothing is connected/ });
});

test('a television in standby keeps its connector although it looks unplugged', async () => {
  await power.request(false);
  primary = { id: 'HDMI-A-1', connected: false };
  report = { state: 'unplugged' };
  await power.request(true);
  primary = { id: 'HDMI-A-1', connected: true };
  await power.request(false).catch(() => undefined);
  report = { state: 'plugged', power: 'on' };
  await power.request(true);
  assert.deepEqual(commands, ['HDMI-A-2 off', 'HDMI-A-2 on', 'HDMI-A-1 on']);
});

test('when the adapter fails after a command, the power becomes unknown and the command is given up', async () => {
  power.start();
  await until('the power', () => power.isOn === true);
  await power.request(false);
  report = new Error('cec-ctl ended with 1');
  await until('the power to be unknown', () => power.isOn === undefined);
  assert.deepEqual(power.problems(), []);
  now += GIVE_UP_MS;
  await until('the problem', () => power.problems().length > 0);
  assert.match(power.problems().join(), /switch off, but does not answer/);
});

test('a report that was asked for before the last command does not send the one before again', async (t) => {
  const begun = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<TelevisionReport>();
  const sending = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  await power.request(false);
  now += RESEND_MS;
  t.mock.method(television, 'read', async () => {
    begun.resolve();
    return asked.promise;
  });
  await begun.promise;
  // The next command begins, and the report comes while it is being sent.
  t.mock.method(television, 'read', async () => report);
  t.mock.method(television, 'switch', async (connector: string, on: boolean) => {
    commands.push(`${connector} ${on ? 'on' : 'off'}`);
    sending.resolve();
    await sent.promise;
  });
  const command = power.request(true);
  await sending.promise;
  asked.resolve({ state: 'plugged', power: 'on' });
  await setImmediate();
  sent.resolve();
  await command;
  assert.deepEqual(commands, ['HDMI-A-2 off', 'HDMI-A-2 on']);
});
