import { compareLinks } from '../harness/contract.ts';
import { scenario } from '../harness/suite.ts';

export default scenario({
  title: 'the same requests give the same status and body on every link',
  needs: 'system',
  machine: 'shared',
  run: compareLinks,
});
