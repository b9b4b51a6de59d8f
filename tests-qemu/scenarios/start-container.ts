import { containerObstacle } from '../../ci/container/requirements.ts';
import { rootPrefix } from '../../ci/setup.ts';
import { testCiGuide } from '../harness/guide-tests.ts';
import { testStart } from '../harness/start-tests.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title:
    '`npm start -- --container` for scripts: as in QEMU, and nothing is left behind, even after SIGKILL; test kits',
  machine: 'none',
  run: async (context) => {
    const obstacle = containerObstacle(rootPrefix());
    if (obstacle === undefined) {
      await testStart(context, 'container');
      await testCiGuide(context);
    } else context.skip('npm start -- --container', obstacle);
  },
});
