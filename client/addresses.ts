/** Names and addresses that every device has at its cable. */
import { SHARED_ADDRESS } from '../agent/src/base/cable.ts';

export { OWN_NETWORK, ownNames, SHARED_ADDRESS } from '../agent/src/base/cable.ts';

/** Where a device answers, unless several are plugged in. */
export const USUAL_ADDRESS = `http://${SHARED_ADDRESS}`;
