/** The other end of a page's channel for peripherals, in the page itself: the browser's listeners and the agent. */
import type {
  Answer,
  PageDevice,
  PageEvent,
  Request,
} from '../../agent/src/resources/peripherals/page-protocol.ts';

export interface FakeAgent {
  /** Everything that was taken of the page, in order. */
  requests: Request[];
  /** What is allowed and plugged in. */
  devices: PageDevice[];
  /** Whether the browser takes messages, and whether there is a channel at all. */
  isTaking: boolean;
  hasChannel: boolean;
  /** Calls that get no answer. */
  silent: string[];
  /** The answer of calls that fail, by call. */
  errors: Record<string, { name: string; message: string }>;
  /** Bytes that serial ports may still send, and the most at any time. */
  credit: number;
  mostCredit: number;
  /** Opens the channel for messages, as after a refusal. */
  ready(): void;
  send(message: Answer | PageEvent): void;
  /** The browser closes the channel. */
  close(): void;
  plug(device: PageDevice): void;
  unplug(device: number): void;
  /** Sends bytes of a port, as many as the credit is for. @returns how many */
  receive(device: number, bytes: Uint8Array): number;
  /** Base64 of the calls of a kind. */
  sent(call: string): string[];
}

declare global {
  interface Window {
    agent: FakeAgent;
  }
}

/** Runs in a page before the shims: uses nothing from outside. Devices echo what they get. */
export function installFakeAgent(): void {
  // The page's test replaces globals; this end does not share them.
  const { parse, stringify } = JSON;
  const dispatch = window.dispatchEvent.bind(window);
  const NativeEvent = CustomEvent;
  const later = queueMicrotask.bind(window);
  const features = new Map<number, string>();
  const looped: string[] = [];
  const reads: Request[] = [];
  let isOpen = false;

  const tell = (type: string, detail: string | null = null): boolean =>
    dispatch(new NativeEvent(`vitrine-devices-${type}`, { detail }));
  const answer = (id: number, result: object = {}): void => agent.send({ id, result });

  /** Gives transfers in what was transferred out, in order. */
  const loop = (): void => {
    while (looped.length > 0 && reads.length > 0) {
      const read = reads.shift();
      const data = looped.shift();
      if (read) answer(read.id, { status: 'ok', data });
    }
  };

  const serve = (request: Request) => {
    const { id, call } = request;
    const error = agent.errors[call];
    if (error) return agent.send({ id, error });
    if (agent.silent.includes(call)) return;
    switch (request.call) {
      case 'list':
        return answer(id, { devices: agent.devices.filter(({ kind }) => kind === request.kind) });
      case 'forget':
        agent.devices = agent.devices.filter(({ device }) => device !== request.device);
        return answer(id);
      case 'hid.send_report':
        answer(id);
        return agent.send({
          event: 'hid.input',
          device: request.device,
          report_id: request.report_id,
          data: request.data,
        });
      case 'hid.send_feature_report':
        features.set(request.report_id, request.data);
        return answer(id);
      case 'hid.receive_feature_report':
        return answer(id, { data: features.get(request.report_id) ?? '' });
      case 'serial.credit':
        agent.credit += request.bytes;
        agent.mostCredit = Math.max(agent.mostCredit, agent.credit);
        return answer(id);
      case 'serial.write':
        answer(id);
        agent.receive(request.device, Uint8Array.fromBase64(request.data));
        return;
      case 'serial.get_signals':
        return answer(id, {
          dataCarrierDetect: true,
          clearToSend: false,
          ringIndicator: true,
          dataSetReady: false,
        });
      case 'usb.control_in':
        return answer(id, { status: 'ok', data: btoa(String(request.length)) });
      case 'usb.control_out':
        return answer(id, { status: 'ok', bytes_written: atob(request.data).length });
      case 'usb.transfer_out':
        looped.push(request.data);
        answer(id, { status: 'ok', bytes_written: atob(request.data).length });
        return loop();
      case 'usb.transfer_in':
        reads.push(request);
        return loop();
      default:
        return answer(id);
    }
  };

  const agent: FakeAgent = {
    requests: [],
    devices: [],
    isTaking: true,
    hasChannel: true,
    silent: [],
    errors: {},
    credit: 0,
    mostCredit: 0,
    ready: () => tell('ready'),
    send: (message) => tell('message', stringify(message)),
    close: () => {
      isOpen = false;
      tell('closed');
    },
    plug: (device) => {
      agent.devices = [...agent.devices, device];
      agent.send({ event: 'connect', device });
    },
    unplug: (number) => {
      const device = agent.devices.find((entry) => entry.device === number);
      if (!device) return;
      agent.devices = agent.devices.filter((entry) => entry !== device);
      agent.send({ event: 'closed', device: number, reason: 'unplugged' });
      agent.send({ event: 'disconnect', device });
    },
    receive: (device, bytes) => {
      const part = bytes.slice(0, agent.credit);
      agent.credit -= part.length;
      if (part.length > 0) agent.send({ event: 'serial.data', device, data: part.toBase64() });
      return part.length;
    },
    sent: (call) =>
      agent.requests.flatMap((request) => (request.call === call && 'data' in request ? [request.data] : [])),
  };

  window.addEventListener('vitrine-devices-open', (event) => {
    if (!agent.hasChannel) return;
    event.preventDefault();
    if (isOpen) return;
    isOpen = true;
    // The browser answers later.
    setTimeout(() => tell('ready'), 0);
  });
  window.addEventListener('vitrine-devices-send', (event) => {
    if (!isOpen || !agent.isTaking || !(event instanceof NativeEvent)) return;
    event.preventDefault();
    const request: Request = parse(event.detail);
    agent.requests.push(request);
    later(() => serve(request));
  });
  window.agent = agent;
}
