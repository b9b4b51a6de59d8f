/** What fails again and again: it is tried ever more rarely, reported, and prevents nothing else. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FleetStage, until } from '../../../../../testing/fleet-stage.ts';
import { HawkbitServer } from '../../../../../testing/hawkbit-server.ts';
import { ApiError } from '../../../contract/errors.ts';
import { FLEET_TIMING } from './fleet-client.ts';
import { fleetMachine } from './fleet-machine.ts';
import {
  type DdiRequest,
  type Failure,
  type FleetEffect,
  type FleetEvent,
  type FleetState,
  initialState,
  NOTHING_STORED,
} from './fleet-state.ts';
import { problemsOf } from './fleet-status.ts';

const MINUTE = 60_000;
const TOKEN = 'its-secret/token+1';
const UPDATER = { version: '1', pending: null, lastResult: null, confirmed: true, rebooting: false };
const RESULT = { id: '7', version: '1', success: true, message: '', delivered: false };

async function rollouts(t: TestContext, token = 'its-token') {
  const server = await HawkbitServer.start(t);
  server.token = `TargetToken ${token}`;
  server.bundle = Buffer.alloc(1000, 7);
  const device = new FleetStage(t, server.url, { token });
  return { server, device, updater: device.updater };
}

/** A client whose server answers polls, and fails every request of one kind. The delays until its requests, in order. */
function delaysWith(failing: DdiRequest['kind'], failure: Failure, rounds: number) {
  const reply = { id: '6', accepted: true, message: '' };
  const result = failing === 'send_result' ? RESULT : undefined;
  const cancelReply = failing === 'send_cancel_reply' ? reply : undefined;
  let state: Readonly<FleetState> = initialState({ ...NOTHING_STORED, server: 's', result, cancelReply });
  const delays: number[] = [];
  let requests = 0;
  const answer = (request: DdiRequest, session: number): FleetEvent => {
    requests += 1;
    if (request.kind === failing) return { event: 'request_failed', session, failure };
    if (request.kind !== 'poll') return { event: 'sent', session };
    const offer = failing === 'read_deployment' ? '8' : undefined;
    const cancel = failing === 'read_cancel' ? '9' : undefined;
    return { event: 'polled', session, poll: { sleepMs: 5000, offer, cancel, wantsAttributes: true } };
  };
  const perform = (effect: FleetEffect): void => {
    if (effect.do === 'request') send(answer(effect.request, effect.session));
    if (effect.do === 'read_updater') {
      send({ event: 'updater_read', session: effect.session, updater: UPDATER });
    }
    if (effect.do !== 'set_timer' || effect.ms === 5000 || delays.length === rounds) return;
    delays.push(effect.ms);
    send({ event: 'timer', timer: effect.timer });
  };
  const send = (event: FleetEvent): void => {
    const { state: next, effects } = fleetMachine(FLEET_TIMING)(state, event);
    state = next;
    effects.forEach(perform);
  };
  send({ event: 'configured', server: 's' });
  return { delays, requests, problems: problemsOf(state, undefined) };
}

const KINDS: readonly DdiRequest['kind'][] = [
  'read_deployment',
  'read_cancel',
  'send_result',
  'send_cancel_reply',
  'send_attributes',
];

for (const kind of KINDS) {
  test(`delays of ${kind} grow although polls succeed, and health says so`, () => {
    const failure = { kind: 'server_error', message: 'x answered 500.' } as const;
    const { delays, problems } = delaysWith(kind, failure, 10);
    assert.deepEqual(
      delays,
      [10, 20, 40, 80, 160, 320, 640, 900, 900, 900].map((s) => s * 1000),
    );
    assert.match(problems.join(), /^The fleet server does not .*: x answered 500\.$/);
  });
}

test('the server can ask for a longer silence, up to an hour', () => {
  const ask = (retryAfterMs: number) =>
    delaysWith('read_deployment', { kind: 'server_error', message: '', retryAfterMs }, 2).delays;
  assert.deepEqual(ask(60_000), [MINUTE, MINUTE]);
  assert.deepEqual(ask(15_000), [15_000, 20_000]);
  assert.deepEqual(ask(1e12), [60 * MINUTE, 60 * MINUTE]);
});

test('attributes that fail in any way prevent no update', async (t) => {
  const answers = [
    { status: 500 },
    { status: 503, headers: { 'retry-after': '3600' } },
    { status: 404 },
    { status: 401 },
    { status: 302, headers: { location: 'http://127.0.0.1:9/' } },
    { raw: () => undefined },
  ];
  for (const answer of answers) {
    const { server, device, updater } = await rollouts(t);
    server.override = (path) => (path === '/configData' ? answer : undefined);
    server.offer();
    await device.start();
    await until(JSON.stringify(answer), () => updater.applied.length === 1);
    device.client.stop();
  }
});

const PORTAL = '<html>Sign in</html>';
const ELSEWHERE: Readonly<
  Record<string, { status?: number; headers?: Record<string, string>; body?: string }>
> = {
  'the page of a captive portal': { headers: { 'content-type': 'text/html' }, body: PORTAL },
  'an empty page': { status: 204 },
  'a redirect to another kind of address': { status: 302, headers: { location: 'file:///etc/passwd' } },
  'a redirect to an address with the token': { status: 307, headers: { location: '/?t=its-token' } },
  'a redirect without an address': { status: 302 },
  'a portal that asks for a sign-in': { status: 511, body: PORTAL },
};

for (const [what, answer] of Object.entries(ELSEWHERE)) {
  test(`an update waits while there is ${what} in place of its bundle`, async (t) => {
    const { server, device, updater } = await rollouts(t);
    let answers = 0;
    server.override = (path) => {
      if (!path.includes('/artifacts/') || answers === 15) return undefined;
      answers += 1;
      return answer;
    };
    const action = server.offer();
    await device.start();
    await until('the problem', () => /not installed yet/.test(device.client.problems().join()));
    await until('the reboot', () => updater.applied.length === 1);
    assert.equal(answers, 15);
    assert.equal(action.state, 'running');
    assert.ok(action.reports.length < 10, 'the server gets a reason once');
  });
}

test('redirects without end are followed again later', async (t) => {
  const { server, device, updater } = await rollouts(t);
  let answers = 0;
  server.override = (path) => {
    if (!path.includes('/artifacts/') || answers === 20) return undefined;
    answers += 1;
    return { status: 302, headers: { location: server.artifactUrl } };
  };
  server.offer();
  await device.start();
  await until('the reboot', () => updater.applied.length === 1);
});

test('a server of bundles can ask for a pause', async (t) => {
  const { server, device, updater } = await rollouts(t);
  const asked: number[] = [];
  const date = 'Thu, 26 Nov 2026 10:00:00 GMT';
  const pauses = ['1', 'Thu, 26 Nov 2026 10:00:01 GMT'];
  server.override = (path) => {
    if (!path.includes('/artifacts/')) return undefined;
    asked.push(performance.now());
    const after = pauses[asked.length - 1];
    return after === undefined ? undefined : { status: 503, headers: { date, 'retry-after': after } };
  };
  server.offer();
  await device.start();
  await until('the reboot', () => updater.applied.length === 1);
  const [first = 0, second = 0, third = 0] = asked;
  assert.ok(second - first >= 990 && third - second >= 990, asked.join());
});

test('a token that the server echoes is neither logged nor shown', async (t) => {
  const { server, device, updater } = await rollouts(t, TOKEN);
  const outputs = () =>
    JSON.stringify([device.client.status(), device.client.problems(), device.logged, device.stored]);
  const echo = `TargetToken ${TOKEN}`;
  const echoes: ((path: string) => { status?: number; headers?: Record<string, string>; body?: unknown })[] =
    [
      () => ({ status: 400, body: echo }),
      () => ({ status: 403, body: { message: echo } }),
      () => ({ status: 302, headers: { location: `/?${encodeURIComponent(TOKEN)}` } }),
      () => ({ body: echo }),
      () => ({ body: { _links: { deploymentBase: { href: `/deploymentBase/${TOKEN}` } } } }),
    ];
  server.offer();
  await device.start();
  for (const answer of echoes) {
    server.override = answer;
    await until('the failure', () => device.client.problems().length > 0);
    server.override = (path) =>
      path.startsWith('/deploymentBase/') ? { status: 403, body: echo } : undefined;
    await until('a poll', () => device.client.status().connected);
  }
  const chunks = [{ version: `1 ${TOKEN}`, artifacts: [] }];
  const deployment = { id: '8', deployment: { download: 'forced', update: 'forced', chunks } };
  server.override = (path) => (path === '/deploymentBase/8' ? { body: deployment } : undefined);
  await until('the end', () => server.actions[0]?.state === 'error');
  server.override = () => undefined;
  updater.failure = new ApiError(
    'unavailable',
    `Failed to stream http://x/?${encodeURIComponent(TOKEN)} ${TOKEN}`,
  );
  server.offer();
  await until('the problem', () => /not installed yet/.test(device.client.problems().join()));
  assert.match(outputs(), /\[token\]/);
  for (const secret of [TOKEN, encodeURIComponent(TOKEN)]) assert.ok(!outputs().includes(secret), outputs());
});
