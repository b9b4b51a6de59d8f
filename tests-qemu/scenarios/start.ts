import { testStart } from '../harness/start-tests.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title: '`npm start` for scripts in QEMU: the ready file with all its addresses, and `npm stop`',
  machine: 'none',
  run: (context) => testStart(context, 'qemu'),
});
