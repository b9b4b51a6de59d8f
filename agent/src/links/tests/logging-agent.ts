/**
 * An API that logs a record for every request, for logging.test.ts; prints its address on standard output.
 * A request for `/fatal` ends it as a failed start does.
 */
import * as Type from 'typebox';
import { createLogger } from '../../base/logger.ts';
import { endpoint } from '../../contract/endpoint.ts';
import { serve } from '../../resources/route.ts';
import { createApp } from '../app.ts';
import { listen } from '../http.ts';

const get = (path: string) =>
  endpoint({
    method: 'GET',
    path,
    tag: 'Test',
    summary: path,
    status: 200,
    response: Type.Object({}),
    errors: [],
  });
const broken = get('/broken');
const fatal = get('/fatal');

const log = createLogger('info');
let count = 0;
const app = createApp({
  endpoints: [broken, fatal],
  routes: [
    serve(broken, () => {
      count += 1;
      log.info({ text: 'x'.repeat(1000) }, `request ${count}`);
      return {};
    }),
    serve(fatal, () => {
      log.fatal('the end');
      process.exit(1);
    }),
  ],
  log,
});
const link = await listen(app, [{ host: '127.0.0.1', port: 0 }]);
console.log(link.addresses[0]);
