/**
 * The messages between the agent and a program that drives peripherals of one kind, as lines of JSON on the agent's unix
 * socket (`base/json-line-peer.ts`). The program connects and says hello. The agent opens device nodes by a handle that
 * it chooses and never uses again; all bytes are base64. When the connection ends, the program closes everything.
 */
import * as Type from 'typebox';
import { validator } from '../validation/validator.ts';

export const PROTOCOL = 1;
export const KINDS = ['hid', 'serial', 'usb'] as const;

/** Longest transfer, in bytes. */
export const MAX_TRANSFER_BYTES = 512 * 1024;

const Count = Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1 });
const Byte = Type.Integer({ minimum: 0, maximum: 255 });
const Word = Type.Integer({ minimum: 0, maximum: 0xffff });
/** 512 KiB in base64. */
const Base64 = Type.String({ maxLength: 700_000 });
const Node = Type.String({ pattern: '^/dev/[A-Za-z0-9/_-]{1,100}$' });

/** The first message of every connection, of any version of the protocol. */
export const Greeting = validator(Type.Object({ event: Type.Literal('hello'), protocol: Type.Integer() }));
export const Hello = validator(
  Type.Object({
    event: Type.Literal('hello'),
    protocol: Type.Literal(PROTOCOL),
    kind: Type.Enum([...KINDS]),
    pid: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }),
  }),
);

/** Events; `resources/peripherals/ports.ts` says what they mean. */
export const Input = validator(
  Type.Object({ event: Type.Literal('input'), handle: Count, report_id: Byte, data: Base64 }),
);
export const Data = validator(Type.Object({ event: Type.Literal('data'), handle: Count, data: Base64 }));
export const ReceiveError = validator(
  Type.Object({
    event: Type.Literal('receive_error'),
    handle: Count,
    name: Type.Enum(['BreakError', 'BufferOverrunError', 'FramingError', 'ParityError']),
  }),
);
export const Closed = validator(
  Type.Object({ event: Type.Literal('closed'), handle: Count, reason: Type.String({ maxLength: 512 }) }),
);
export const Named = validator(Type.Object({ event: Type.String({ maxLength: 50 }) }));

/** The answer to a command. `name` is that of a DOMException; a failed command has changed nothing that is not said. */
export const Answer = validator(
  Type.Object({
    id: Count,
    ok: Type.Boolean(),
    name: Type.Optional(
      Type.Enum([
        'InvalidStateError',
        'NetworkError',
        'NotAllowedError',
        'NotFoundError',
        'NotSupportedError',
        'OperationError',
        'SecurityError',
        'AbortError',
        'TypeError',
      ]),
    ),
    message: Type.Optional(Type.String({ maxLength: 512 })),
  }),
);
export const Received = validator(Type.Object({ data: Base64 }));
export const TransferredIn = validator(
  Type.Object({ status: Type.Enum(['ok', 'stall', 'babble']), data: Base64 }),
);
export const TransferredOut = validator(
  Type.Object({ status: Type.Enum(['ok', 'stall', 'babble']), bytes_written: Count }),
);
export const Signals = validator(
  Type.Object({
    dataCarrierDetect: Type.Boolean(),
    clearToSend: Type.Boolean(),
    ringIndicator: Type.Boolean(),
    dataSetReady: Type.Boolean(),
  }),
);

export const Command = validator(Type.Object({ id: Count, command: Type.String({ maxLength: 50 }) }));

const handle = { handle: Count };
const Setup = Type.Object({
  requestType: Type.Enum(['standard', 'class', 'vendor']),
  recipient: Type.Enum(['device', 'interface', 'endpoint', 'other']),
  request: Byte,
  value: Word,
  index: Word,
});
const Endpoint = Type.Integer({ minimum: 1, maximum: 15 });
const Length = Type.Integer({ minimum: 0, maximum: MAX_TRANSFER_BYTES });

/** The fields of each command, by its name. `close` of a handle that is not open does nothing. */
export const COMMANDS = {
  hid: {
    open: validator(Type.Object({ ...handle, node: Node })),
    close: validator(Type.Object(handle)),
    /** `data` without the report id; 0: the device's reports have none. */
    write: validator(Type.Object({ ...handle, report_id: Byte, data: Base64 })),
    send_feature: validator(Type.Object({ ...handle, report_id: Byte, data: Base64 })),
    /** `length`: of the report without its id, in bytes. Answers `Received`, without the report id. */
    get_feature: validator(Type.Object({ ...handle, report_id: Byte, length: Word })),
  },
  serial: {
    open: validator(
      Type.Object({
        ...handle,
        node: Node,
        baudRate: Type.Integer({ minimum: 1, maximum: 8_000_000 }),
        dataBits: Type.Enum([7, 8]),
        stopBits: Type.Enum([1, 2]),
        parity: Type.Enum(['none', 'even', 'odd']),
        flowControl: Type.Enum(['none', 'hardware']),
      }),
    ),
    close: validator(Type.Object(handle)),
    /** Answered when the driver has taken the bytes. */
    write: validator(Type.Object({ ...handle, data: Base64 })),
    drain: validator(Type.Object(handle)),
    flush: validator(Type.Object({ ...handle, direction: Type.Enum(['in', 'out']) })),
    /** Events `data` may have so many bytes more. Without credit, nothing is read of the port. */
    credit: validator(Type.Object({ ...handle, bytes: Count })),
    set_signals: validator(
      Type.Object({
        ...handle,
        dataTerminalReady: Type.Optional(Type.Boolean()),
        requestToSend: Type.Optional(Type.Boolean()),
        break: Type.Optional(Type.Boolean()),
      }),
    ),
    /** Answers `Signals`. */
    get_signals: validator(Type.Object(handle)),
  },
  usb: {
    /** `node`: /dev/bus/usb/BBB/DDD. */
    open: validator(Type.Object({ ...handle, node: Node })),
    /** Releases what is claimed, and gives interfaces back to the drivers that were detached for it. */
    close: validator(Type.Object(handle)),
    select_configuration: validator(Type.Object({ ...handle, value: Byte })),
    /** `detach`: a kernel driver may be detached for it. */
    claim_interface: validator(Type.Object({ ...handle, interface: Byte, detach: Type.Boolean() })),
    release_interface: validator(Type.Object({ ...handle, interface: Byte })),
    select_alternate: validator(Type.Object({ ...handle, interface: Byte, alternate: Byte })),
    /** Answers `TransferredIn`. */
    control_in: validator(Type.Object({ ...handle, setup: Setup, length: Word })),
    /** Answers `TransferredOut`. */
    control_out: validator(Type.Object({ ...handle, setup: Setup, data: Base64 })),
    /** Answers `TransferredIn`. Fails with `AbortError` when the handle is closed meanwhile. */
    transfer_in: validator(Type.Object({ ...handle, endpoint: Endpoint, length: Length })),
    /** Answers `TransferredOut`. */
    transfer_out: validator(Type.Object({ ...handle, endpoint: Endpoint, data: Base64 })),
    clear_halt: validator(
      Type.Object({ ...handle, direction: Type.Enum(['in', 'out']), endpoint: Endpoint }),
    ),
    reset: validator(Type.Object(handle)),
  },
} as const;
