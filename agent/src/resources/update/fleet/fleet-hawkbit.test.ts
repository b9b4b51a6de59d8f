/** Rounds with a server that speaks as hawkBit does, and with one that is hostile. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FleetStage, until } from '../../../../../testing/fleet-stage.ts';
import { HawkbitServer } from '../../../../../testing/hawkbit-server.ts';
import { authority, certificate } from '../../../../../testing/make-certificates.ts';
import { ApiError } from '../../../contract/errors.ts';
import { NodeTrust } from '../../../system/trust.ts';
import { bundleInvalid } from '../../content/schema.ts';

const MIB = 2 ** 20;

async function rollouts(t: TestContext) {
  const server = await HawkbitServer.start(t);
  server.bundle = Buffer.alloc(MIB, 7);
  const device = new FleetStage(t, server.url, { token: 'its-token' });
  return { server, device, updater: device.updater };
}

test('updates over HTTPS in the maintenance window, and reports the result after the reboot', async (t) => {
  const ca = authority('Fleet');
  const trust = new NodeTrust();
  t.after(() => trust.apply([]));
  const server = await HawkbitServer.start(t, certificate({ name: 'localhost', issuer: ca }));
  server.bundle = Buffer.alloc(MIB, 7);
  const action = server.offer({ update: 'skip', maintenanceWindow: 'unavailable' });
  const device = new FleetStage(t, server.url, { token: 'its-token' });
  const { updater } = device;
  await device.start();
  await until('the refusal of the certificate', () => device.client.status().error?.code === 'network');
  assert.deepEqual(server.received, [], 'nothing is sent to a server that is not trusted');

  trust.apply([ca.cert]);
  await until('the installation', () => action.reports.some((report) => report.startsWith('downloaded')));
  assert.deepEqual(
    [server.attributes?.hw_boardname, server.attributes?.sw_version],
    ['vitrine-test', '1.0.0'],
  );
  assert.deepEqual(updater.sources, [
    {
      url: server.artifactUrl,
      headers: ['Authorization: TargetToken its-token'],
      reference: (await updater.state()).pending?.reference,
    },
  ]);
  assert.ok(action.reports.includes('proceeding none: Downloaded 50%'), action.reports.join());
  const polls = () =>
    server.received.filter(({ path }) => path === 'GET /DEFAULT/controller/v1/device-1').length;
  const before = polls();
  await until('further polls', () => polls() > before + 2);
  assert.equal(device.client.status().action?.phase, 'installed');
  assert.deepEqual(updater.applied, [], 'no reboot outside of the window');

  Object.assign(action, { update: 'forced', maintenanceWindow: 'available' });
  await until('the reboot', () => updater.applied.length === 1);
  updater.boot();
  await device.start();
  await until('a poll', () => device.client.status().connected);
  assert.equal(action.state, 'running', 'no result before the new version is confirmed');
  updater.endTrial('success');
  await until('the result', () => action.state === 'finished');
  assert.equal(action.reports.at(-1), 'closed success: Version 1.1.0 runs.');
  assert.ok(!device.logged.includes('its-token') && !device.stored.includes('its-token'));
});

test('cancels what is not being written, and refuses otherwise', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const waiting = server.offer({ download: 'skip', update: 'skip' });
  await device.start();
  await until('the offer', () => device.client.status().action?.phase === 'waiting');
  waiting.state = 'canceling';
  await until('the first cancellation', () => waiting.state === 'canceled');
  assert.equal(updater.sources.length, 0);

  const half = Promise.withResolvers<void>();
  updater.onPart = (fraction) => (fraction === 0.5 ? half.promise : undefined);
  const written = server.offer({ update: 'skip' });
  await until('half of it', () => device.client.status().action?.progress === 0.5);
  written.state = 'canceling';
  await until('the refusal', () =>
    written.reports.includes('rejected success: The update is being written.'),
  );
  half.resolve();
  await until('the installation', () => device.client.status().action?.phase === 'installed');
  written.state = 'canceling';
  await until('the second cancellation', () => written.state === 'canceled');
  await until('the end', () => updater.current.pending === null);
  assert.deepEqual(updater.discarded, [updater.sources[0]?.reference]);
  assert.deepEqual(updater.applied, []);
});

test('repeats an installation that may succeed, and gives up one that cannot', async (t) => {
  const { server, device, updater } = await rollouts(t);
  // Attributes that the server refuses stop nothing.
  server.override = (path) => (path === '/configData' ? { status: 400 } : undefined);
  await device.start();
  updater.failure = new ApiError(bundleInvalid, 'The bundle is for another board.');
  const foreign = server.offer();
  await until('its end', () => foreign.state === 'error');
  assert.equal(foreign.reports.at(-1), 'closed failure: The bundle is for another board.');
  assert.equal(updater.sources.length, 1);

  updater.failure = new ApiError('internal', 'Input/output error.');
  const doubtful = server.offer();
  await until('its end', () => doubtful.state === 'error');
  assert.equal(updater.sources.length, 11, 'ten attempts');

  updater.failure = new ApiError('unavailable', 'The network broke.');
  const broken = server.offer();
  await until('many attempts', () => updater.sources.length > 11 + 15);
  assert.equal(broken.state, 'running');
  assert.match(device.client.problems().join(), /not installed yet: The network broke\./);
  updater.failure = undefined;
  await until('the reboot', () => updater.applied.length === 1);
});

test('does not repeat an installation that outlives the agent', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const half = Promise.withResolvers<void>();
  updater.onPart = (fraction) => (fraction === 0.5 ? half.promise : undefined);
  server.offer();
  await device.start();
  await until('half of it', () => device.client.status().action?.progress === 0.5);
  await device.start();
  await until(
    'the conflict',
    () => device.client.status().error?.message === 'An update is being installed.',
  );
  half.resolve();
  await until('the reboot', () => updater.applied.length === 1);
  assert.equal(updater.sources.length, 1);
});

test('asks again for a reboot that does not come, and reports no failure meanwhile', async (t) => {
  const { server, device, updater } = await rollouts(t);
  updater.canReboot = false;
  const action = server.offer();
  await device.start();
  await until('two requests', () => updater.rebootRequests === 2);
  updater.canReboot = true;
  await until('a third one', () => updater.rebootRequests === 3);
  assert.equal(action.state, 'running');
  assert.match(device.client.problems().join(), /does not reboot into the update/);
  updater.boot();
  await device.start();
  updater.endTrial('success');
  await until('the result', () => action.state === 'finished');
  assert.equal(updater.applied.length, 1);
  assert.deepEqual(device.client.problems(), []);
});

test('drops the result of an action that is closed on the server', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const action = server.offer();
  await device.start();
  await until('the reboot', () => updater.applied.length === 1);
  action.state = 'canceled'; // by force
  updater.endTrial('rolled_back');
  await until('the result', () => action.reports.some((report) => report.startsWith('closed failure')));
  const next = server.offer();
  await until('the next update', () => updater.applied.length === 2);
  updater.endTrial('success');
  await until('its result', () => next.state === 'finished');
});

test('applies changes of the configuration at once', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const action = server.offer({ update: 'skip' });
  await device.start();
  await until('the installation', () => device.client.status().action?.phase === 'installed');
  device.configure({ target_token: null, gateway_token: 'of-all' });
  await until('the refusal', () => device.client.status().error?.code === 'unauthorized');
  server.token = 'GatewayToken of-all';
  await until('a poll', () => device.client.status().connected);
  assert.equal(device.client.status().action?.id, action.id, 'another token leaves the work as it is');
  assert.ok(device.client.status().next_poll_ts);

  device.configure({ url: null });
  assert.equal(device.client.status().enabled, false);
  await until('the end of the work', () => updater.discarded.length === 1);
  const { length } = server.received;
  const second = await HawkbitServer.start(t);
  device.configure({ url: second.url });
  await until('the other server', () => second.received.length > 3);
  assert.equal(server.received.length, length, 'nothing is sent to the first server any more');
});

test('sends the token to the configured server only', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const other = await HawkbitServer.start(t);
  const bundle = (path: string) => {
    const headers = { 'content-range': `bytes 0-0/${server.bundle.length}` };
    return path.includes('bundle') ? { status: 206, headers, body: 'x' } : { status: 404 };
  };
  other.override = () => bundle('bundle');
  // As hawkBit with an external storage: the server redirects, or names the other host itself.
  server.override = (path) =>
    path.includes('/artifacts/') ? { status: 302, headers: { location: `${other.url}/bundle` } } : undefined;
  server.offer({ update: 'skip' });
  await device.start();
  await until('the redirect', () => updater.sources.length === 1);
  server.override = () => undefined;
  server.links = () => ({ download: { href: `${other.url}/bundle` } });
  server.actions.pop();
  server.offer({ id: '99' });
  await until('the link', () => updater.sources.length >= 2);
  for (const { url, headers } of updater.sources) {
    assert.ok(url.startsWith(`${other.url}/`), url);
    assert.deepEqual(headers, []);
  }
  assert.ok(other.received.length > 0);
  for (const { authorization } of other.received) assert.equal(authorization, undefined);
});

test('does not follow links and redirects of polls', async (t) => {
  const { server, device } = await rollouts(t);
  const other = await HawkbitServer.start(t);
  const answers = [
    { status: 302, headers: { location: `${other.url}/DEFAULT/controller/v1/device-1` } },
    { body: { _links: { deploymentBase: { href: `${other.url}/x/deploymentBase/../../secret` } } } },
    { body: { _links: { cancelAction: { href: 'cancelAction/%2e%2e' } } } },
    { body: `{}${' '.repeat(2 * MIB)}` },
    { body: '{"config":' },
    { body: [] },
  ];
  await device.start();
  for (const answer of answers) {
    server.override = (path) => (path === '' ? answer : undefined);
    await until('the failure', () => device.client.status().error !== null);
    server.override = () => undefined;
    await until('a good answer', () => device.client.status().error === null);
  }
  const foreign = { body: { _links: { deploymentBase: { href: `${other.url}/deploymentBase/8` } } } };
  server.override = (path) => (path === '' ? foreign : undefined);
  const asked = ({ path }: { path: string }) =>
    path === 'GET /DEFAULT/controller/v1/device-1/deploymentBase/8';
  await until('the request', () => server.received.some(asked));
  assert.deepEqual(other.received, []);
  assert.ok(!device.logged.includes('its-token'));
});

test('does not install what no link leads to in the right form', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const length = String(server.bundle.length);
  const whole = { headers: { 'content-length': length }, body: server.bundle.toString('latin1') };
  const of = (href: string) => () => ({ download: { href } });
  const hostile: [reason: RegExp, prepare: () => void][] = [
    [
      /no link/,
      () => {
        server.links = of('file:///etc/passwd');
      },
    ],
    [
      /no link/,
      () => {
        server.links = of(server.url.replace('://', '://user:secret@'));
      },
    ],
    [
      /no link/,
      () => {
        server.links = () => ({});
      },
    ],
    [
      /no link/,
      () => {
        server.links = of(`${server.url}/its-token/bundle`);
      },
    ],
    [
      /ranges/,
      () => {
        server.override = (path) => (path.includes('/artifacts/') ? whole : undefined);
      },
    ],
    [
      /announced size/,
      () => {
        server.override = (path) =>
          path.includes('/artifacts/')
            ? { status: 206, headers: { 'content-range': 'bytes 0-0/5' }, body: 'x' }
            : undefined;
      },
    ],
  ];
  const { links } = server;
  await device.start();
  for (const [reason, prepare] of hostile) {
    Object.assign(server, { links, override: () => undefined });
    prepare();
    const action = server.offer();
    await until(`the end: ${reason}`, () => action.state === 'error');
    assert.match(action.reports.at(-1) ?? '', reason);
  }
  assert.deepEqual(updater.sources, []);
});
