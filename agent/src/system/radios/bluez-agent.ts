import type { PairingAgent, PairingRequest } from '../../resources/bluetooth/ports.ts';
import { type ExportedObject, method } from '../dbus/export.ts';
import { BusError, type BusValue, integer, shaped, text } from '../dbus/values.ts';

/** Path of our agent's object. */
export const AGENT_PATH = '/vitrine/bluetooth';
/**
 * A screen and no keys: devices with keys are paired by a number that is typed on them, which protects against somebody
 * in between; others just pair.
 */
export const CAPABILITY = 'DisplayOnly';
/** The adapter waits for these answers, and so do other devices. In ms. */
const ANSWER_MS = 5000;

/** `org.bluez.Agent1` (doc/org.bluez.Agent.rst of BlueZ): what the daemon asks about pairing, answered by `agent`. */
export function bluezAgent(service: string, agent: PairingAgent): ExportedObject {
  const ask = (request: PairingRequest): readonly BusValue[] => {
    const answer = agent.answer(request);
    if (!answer.accepted) throw new BusError('org.bluez.Error.Rejected', 'Not allowed.');
    return answer.pin === undefined ? [] : [['s', answer.pin]];
  };
  const device = (path: string) => ({ adapter: path.slice(0, path.lastIndexOf('/')), device: path });
  const ofDevice = shaped(text);
  return {
    ...{ path: AGENT_PATH, interface: 'org.bluez.Agent1', caller: service, timeoutMs: ANSWER_MS },
    methods: {
      Release: () => {
        agent.released();
        return [];
      },
      Cancel: () => {
        agent.cancel();
        return [];
      },
      RequestAuthorization: method(ofDevice, (path) => ask({ ...device(path), kind: 'authorize' })),
      RequestConfirmation: method(shaped(text, integer), (path, passkey) =>
        ask({ ...device(path), kind: 'confirm', passkey: sixDigits(passkey) }),
      ),
      DisplayPasskey: method(shaped(text, integer, integer), (path, passkey, _typedDigits) =>
        ask({ ...device(path), kind: 'display', passkey: sixDigits(passkey) }),
      ),
      DisplayPinCode: method(shaped(text, text), (path, pin) =>
        ask({ ...device(path), kind: 'display', passkey: pin }),
      ),
      RequestPinCode: method(ofDevice, (path) => ask({ ...device(path), kind: 'choose_pin' })),
      RequestPasskey: method(ofDevice, (path) => ask({ ...device(path), kind: 'type_passkey' })),
      AuthorizeService: method(shaped(text, text), (path, uuid) =>
        ask({ ...device(path), kind: 'service', profile: uuid.toLowerCase() }),
      ),
    },
  };
}

function sixDigits(passkey: number): string {
  return String(passkey).padStart(6, '0');
}
