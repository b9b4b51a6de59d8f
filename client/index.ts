/** The package in Node. */
export type { SizedBody } from './client.ts';
export { RequestError } from './client.ts';
export { type ConnectOptions, connect } from './connect.ts';
export type { ArgumentsOf, ErrorCode, EventOf, PathOf, ResponseOf, TopicName } from './contract.ts';
export { Device, type ShowTarget, type UpdateStep } from './device.ts';
export { BundleError, type PushOptions, push, withFile } from './folder.ts';
export { SerialPortError, type SerialPortProblem } from './tty.ts';
export { WaitError, type WaitOptions } from './waits.ts';
