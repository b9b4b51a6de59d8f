import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventBus } from '../../events/bus.ts';
import { Operations } from './operations.ts';
import { type Operation, operationChanged } from './schema.ts';

test('progress is published in steps, and that the whole body has arrived at once', () => {
  const bus = new EventBus();
  const events: Operation[] = [];
  bus.on(operationChanged, (operation) => events.push(operation));
  const operation = new Operations(bus).start('update_install', { bytesTotal: 1000 });
  operation.received(990);
  operation.progress(0.295);
  operation.progress(0.3);
  operation.arrived(1000);
  operation.done();
  operation.arrived(1000);
  assert.deepEqual(
    events.map(({ state, progress, bytes_done }) => [state, progress, bytes_done]),
    [
      ['running', 0, 0],
      ['running', 0.295, 990],
      ['running', 0.295, 1000],
      ['done', 1, 1000],
    ],
  );
});
