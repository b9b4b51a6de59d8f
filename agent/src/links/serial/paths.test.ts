/** Whatever path a request names: over serial it means what it means over HTTP, sent as it is. */
import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listen } from '../http.ts';
import { testApp } from '../tests/test-app.ts';
import { serveUi } from '../ui.ts';
import { connect, failure } from './tests/test-link.ts';

const PATHS = [
  '/api/v1/page',
  '/api/v1/page?x=1',
  '/api/v1/page#x',
  '/api/v1/page#x?y',
  '/api/v1/page?x#y',
  '/api/v1/page;x',
  '/api/v1/page/',
  '/api/v1//page',
  '/api/v1/./page',
  '/api/v1/../v1/page',
  '/api/v1/x/../page',
  '/api/v1/../../',
  '/api/v1/../../ui/status.js',
  '/api/v1/%2e%2e/%2e%2e/ui/status.js',
  '/api/v1/%2E./.%2e/ui/status.js',
  '/api/v1/..\\..\\ui\\status.js',
  '/api/v1/..%5c..%5cui%5cstatus.js',
  '/api/v1/..%2f..%2fui%2fstatus.js',
  '/api/v1\\page',
  '/api/v1/\\page',
  '/api/v1/%70age',
  '/api/v1/p%61ge',
  '/api/v1/page%00',
  '/api/v1/page%20',
  '/api/v1/page%3fx',
  '/api/v1/page%23x',
  '/api/v1/page%2f',
  '/api/v1/PAGE',
  '/api/v1/large/5',
  '/api/v1/large/%35',
  '/api/v1/large/..',
  '/api/v1/large/%2e%2e',
  '/api/v1/large/.',
  '/api/v1/large/',
  '/api/v1/large/5#x',
  '/api/v1/large/5?x',
  '/api/v1/large/5%2f6',
  '/api/v1/large/5\\6',
  '/api/v1/large/%zz',
  '/api/v1/large/%F0%9F',
  '/api/v1/large/%',
  '/api/v1/%zz',
  '/api/v1/events',
  '/api/v1/events/../page',
  '/api/v1/events#x',
  '/api/v1/',
  '/api/v1/?x',
  '/api/v1/#',
  '/api/v1/a b',
  '/api/v1/d\u00e9vice',
  '/api/v1/"<>^`{|}',
  '/api/v1/page?a=\'"<>^`{|}\\',
  `/api/v1/${'a'.repeat(9000)}`,
  '/api/v1/@evil.example/page',
  '/api/v1/http://localhost/api/v1/page',
];

test('odd paths are answered over serial as over HTTP', async (t) => {
  const { app, endpoints } = testApp();
  serveUi(app, undefined, () => true);
  const { port, link } = await connect({ app, endpoints });
  const http = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
  t.after(async () => {
    await Promise.all([link.close(), http.close()]);
    await app.close();
  });
  const httpPort = Number(new URL(http.addresses[0] ?? '').port);

  /** Status and code, over a socket of its own: no client that tidies the path up. */
  const overHttp = async (method: string, path: string): Promise<object> => {
    const socket = connectTcp(httpPort, '127.0.0.1');
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    const answer = await text(socket);
    const status = Number(/^HTTP\/1\.1 (\d+) /.exec(answer)?.[1]);
    const code = status < 400 ? undefined : JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).error.code;
    return { status, code };
  };
  const overSerial = async (method: string, path: string): Promise<object> => {
    port.send({ id: 1, type: 'request', method, path });
    return failure(await port.line());
  };
  for (const path of PATHS) {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      assert.deepEqual(await overSerial(method, path), await overHttp(method, path), `${method} ${path}`);
    }
  }
});
