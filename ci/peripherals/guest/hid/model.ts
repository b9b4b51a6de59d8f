import type { HidShape } from './descriptors.ts';
import { getReportReply, inputEvent, setReportReply, type UhidRequest } from './uhid.ts';

const MOST_KEPT = 1000;

/** A report that a host has sent. */
export interface SentReport {
  kind: 'output' | 'feature';
  reportId: number;
  /** Hexadecimal digits, without the report id. */
  data: string;
}

/** A HID device that keeps what hosts send, and may give output reports back as input reports. */
export class HidModel {
  readonly #shape: HidShape;
  readonly #echoes: boolean;
  readonly #features: Map<number, Buffer>;
  #sent: SentReport[] = [];

  constructor(shape: HidShape, echoes: boolean) {
    this.#shape = shape;
    this.#echoes = echoes;
    this.#features = new Map(shape.features);
  }

  /** What hosts have sent since the last call, at most 1000 reports. */
  takeSent(): SentReport[] {
    return this.#sent.splice(0);
  }

  /** The events with which the device answers a request of the kernel. */
  answer(request: UhidRequest): Buffer[] {
    switch (request.kind) {
      case 'output': {
        const [reportId = 0] = request.report;
        const data = request.report.subarray(1);
        this.#keep({ kind: 'output', reportId, data: data.toString('hex') });
        return this.#echoes ? [inputEvent(this.#shape.hasIds ? request.report : data)] : [];
      }
      case 'get_report': {
        const content = this.#features.get(request.reportId);
        const report = content && Buffer.concat([Buffer.from([request.reportId]), content]);
        return [getReportReply(request.id, report)];
      }
      case 'set_report': {
        const [reportId = 0] = request.report;
        const data = request.report.subarray(1);
        const isKnown = this.#features.has(reportId);
        if (isKnown) this.#features.set(reportId, data);
        this.#keep({ kind: 'feature', reportId, data: data.toString('hex') });
        return [setReportReply(request.id, isKnown)];
      }
      case 'other':
        return [];
    }
  }

  #keep(report: SentReport): void {
    if (this.#sent.length < MOST_KEPT) this.#sent.push(report);
  }
}
