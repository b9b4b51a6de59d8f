/** What Web Serial does when receiving fails, a port is lost, or something is given up. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PORT } from './devices.ts';
import { PeripheralStage } from './stage.ts';

let stage: PeripheralStage;
before(async () => {
  stage = await PeripheralStage.launch();
});
after(() => stage.close());

test('errors of receiving come after the bytes before them, and reading goes on with a new stream', async () => {
  const page = await stage.page(['serial']);
  const seen = await page.evaluate(async (port) => {
    const { agent } = window;
    agent.devices = [port];
    const [opened] = await navigator.serial.getPorts();
    if (!opened) throw new Error('There is no port.');
    await opened.open({ baudRate: 9600 });
    const log: unknown[] = [];
    // The loop that the specification's examples have.
    const reading = (async () => {
      while (opened.readable) {
        const reader = opened.readable.getReader();
        try {
          for (;;) {
            const { value, done } = await reader.read();
            if (done) break;
            log.push([...value]);
          }
        } catch (error) {
          log.push(error instanceof DOMException ? error.name : String(error));
        } finally {
          reader.releaseLock();
        }
      }
    })();
    const writer = opened.writable?.getWriter();
    const settle = () => new Promise((done) => setTimeout(done, 0));
    await settle();
    agent.receive(2, new Uint8Array([1, 2]));
    agent.receive(2, new Uint8Array([3]));
    agent.send({ event: 'serial.error', device: 2, name: 'ParityError' });
    agent.receive(2, new Uint8Array([4]));
    agent.send({ event: 'serial.error', device: 2, name: 'BreakError' });
    agent.send({ event: 'serial.error', device: 2, name: 'BufferOverrunError' });
    await settle();
    agent.receive(2, new Uint8Array([5]));
    await settle();
    // Unplugged with bytes that nobody has read yet, a read and a write in progress.
    agent.silent = ['serial.write', 'serial.get_signals'];
    const failure = (promise: Promise<unknown> | undefined): Promise<string> =>
      (promise ?? Promise.resolve()).then(
        () => 'none',
        (error: Error) => error.name,
      );
    const failures = [failure(writer?.write(new Uint8Array(5))), failure(opened.getSignals())];
    const events: unknown[] = [];
    opened.addEventListener('disconnect', (event) => events.push(['port', event.target === opened]));
    navigator.serial.addEventListener('disconnect', (event) => {
      events.push(['serial', event.target === opened, event.currentTarget === navigator.serial]);
    });
    await settle();
    agent.receive(2, new Uint8Array([6]));
    agent.unplug(2);
    await reading;
    const lost: unknown[] = [...(await Promise.all(failures)), String(opened.writable), opened.connected];
    lost.push(await failure(opened.close()), (await navigator.serial.getPorts()).length);

    agent.silent = [];
    let connected: EventTarget | null = null;
    navigator.serial.onconnect = ({ target }) => {
      connected = target;
    };
    agent.plug({ ...port, device: 12 });
    const [next] = await navigator.serial.getPorts();
    if (!next) throw new Error('There is no port.');
    next.addEventListener('disconnect', (event) => event.stopPropagation());
    await next.open({ baudRate: 9600 });
    // Closed by the agent, and opened again.
    const idle = next.writable?.getWriter();
    agent.send({ event: 'closed', device: 12, reason: 'not allowed' });
    const raised = [await failure(idle?.closed), String(next.readable), next.connected];
    await next.open({ baudRate: 9600 });
    raised.push(String(next.readable), await failure(next.close()));
    agent.unplug(12);
    return { log, events, lost, raised, connected: connected === next };
  }, PORT);
  assert.deepEqual(seen, {
    log: [[1, 2], [3], 'ParityError', [4], 'BreakError', [5], [6], 'NetworkError'],
    events: [
      ['port', true],
      ['serial', true, true],
    ],
    lost: ['NetworkError', 'NetworkError', 'null', false, 'InvalidStateError', 0],
    raised: ['NetworkError', 'null', true, '[object ReadableStream]', 'none'],
    connected: true,
  });
});

test('a write that is aborted is thrown away', async () => {
  const page = await stage.page(['serial']);
  const seen = await page.evaluate(async (port) => {
    const { agent } = window;
    agent.devices = [port];
    const [opened] = await navigator.serial.getPorts();
    await opened?.open({ baudRate: 9600 });
    const writer = opened?.writable?.getWriter();
    agent.silent = ['serial.write'];
    const writing = writer?.write(new Uint8Array(100_000)).then(
      () => 'written',
      (error: unknown) => error,
    );
    await new Promise((done) => setTimeout(done, 0));
    await writer?.abort('enough');
    writer?.releaseLock();
    agent.silent = [];
    const last = agent.requests.at(-1);
    const next = opened?.writable?.getWriter();
    await next?.write(new Uint8Array([7]));
    const parts = agent.sent('serial.write').length;
    // The port takes nothing any more, and is closed.
    agent.silent = ['serial.write'];
    const stuck = next?.write(new Uint8Array([8])).then(
      () => 'written',
      (error: Error) => error.name,
    );
    await new Promise((done) => setTimeout(done, 0));
    next?.releaseLock();
    await opened?.close();
    return { writing: await writing, last: last?.call, parts, stuck: await stuck };
  }, PORT);
  assert.deepEqual(seen, { writing: 'enough', last: 'serial.flush', parts: 2, stuck: 'InvalidStateError' });
});

test('a port that is lost while it opens or closes is closed', async () => {
  const page = await stage.page(['serial']);
  const seen = await page.evaluate(async (port) => {
    const { agent } = window;
    agent.devices = [port];
    const [opened] = await navigator.serial.getPorts();
    if (!opened) throw new Error('There is no port.');
    const failure = (promise: Promise<unknown>): Promise<string> =>
      promise.then(
        () => 'none',
        (error: Error) => error.name,
      );
    const settle = () => new Promise((done) => setTimeout(done, 0));
    const lose = () => agent.send({ event: 'closed', device: 2, reason: 'broken' });
    const states: unknown[] = [];
    // The answer to open, and the end of what it opened, in one turn.
    agent.silent = ['serial.open'];
    const opening = failure(opened.open({ baudRate: 9600 }));
    await settle();
    agent.send({ id: agent.requests.at(-1)?.id ?? 0, result: {} });
    lose();
    states.push(await opening, String(opened.readable));
    agent.silent = [];
    await opened.open({ baudRate: 9600 });
    agent.silent = ['serial.close'];
    const closing = failure(opened.close());
    await settle();
    lose();
    states.push(await closing, String(opened.readable));
    await opened.open({ baudRate: 9600 });
    // Without the loss, the lock would keep it open.
    const reader = opened.readable?.getReader();
    const locked = failure(opened.close());
    lose();
    states.push(await locked, String(opened.readable), await failure(reader?.read() ?? Promise.resolve()));
    return states;
  }, PORT);
  assert.deepEqual(seen, ['NetworkError', 'null', 'none', 'null', 'none', 'null', 'NetworkError']);
});

test('what is received until a cancelled stream has ended is thrown away', async () => {
  const page = await stage.page(['serial']);
  const seen = await page.evaluate(async (port) => {
    const { agent } = window;
    agent.devices = [port];
    const [opened] = await navigator.serial.getPorts();
    await opened?.open({ baudRate: 9600 });
    const reader = opened?.readable?.getReader();
    await new Promise((done) => setTimeout(done, 0));
    agent.silent = ['serial.flush'];
    const cancelling = reader?.cancel();
    await new Promise((done) => setTimeout(done, 0));
    agent.receive(2, new Uint8Array([1]));
    agent.send({ id: agent.requests.at(-1)?.id ?? 0, result: {} });
    await cancelling;
    const next = opened?.readable?.getReader();
    agent.receive(2, new Uint8Array([2]));
    return [...((await next?.read())?.value ?? [])];
  }, PORT);
  assert.deepEqual(seen, [2]);
});
