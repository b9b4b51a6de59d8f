import type { DdiRequest } from './fleet-state.ts';

/** The requests that report something about an action. */
export type Report = Extract<
  DdiRequest,
  { kind: 'send_result' | 'send_cancel_reply' | 'send_progress' | 'send_downloaded' }
>;

interface Feedback {
  /** In ms since 1970; hawkBit reads it. */
  timestamp: number;
  status: {
    execution: 'closed' | 'proceeding' | 'rejected' | 'downloaded';
    result: { finished: 'success' | 'failure' | 'none'; progress?: { cnt: number; of: number } };
    details: string[];
  };
}

/** The feedback message of a report, and its path below the device's resources. */
export function feedbackOf(report: Report, timestamp: number): { path: string; body: Feedback } {
  switch (report.kind) {
    case 'send_result': {
      const { id, success, message } = report.result;
      const finished = success ? ('success' as const) : ('failure' as const);
      const status = { execution: 'closed' as const, result: { finished }, details: [message] };
      return { path: `/deploymentBase/${id}/feedback`, body: { timestamp, status } };
    }
    case 'send_cancel_reply': {
      const { id, accepted, message } = report.reply;
      // hawkBit takes a cancellation as confirmed when it is closed with success; `canceled` it does not know here.
      const execution = accepted ? ('closed' as const) : ('rejected' as const);
      const status = { execution, result: { finished: 'success' as const }, details: [message] };
      return { path: `/cancelAction/${id}/feedback`, body: { timestamp, status } };
    }
    case 'send_progress': {
      const { id, percent, note } = report;
      // gooseBit reads the percentage from a text of this form only.
      const details = [note ?? `Downloaded ${percent}%`];
      const result = { finished: 'none', progress: { cnt: percent, of: 100 } } as const;
      return {
        path: `/deploymentBase/${id}/feedback`,
        body: { timestamp, status: { execution: 'proceeding', result, details } },
      };
    }
    case 'send_downloaded': {
      const details = ['The update is in the inactive slot.'];
      return {
        path: `/deploymentBase/${report.id}/feedback`,
        body: { timestamp, status: { execution: 'downloaded', result: { finished: 'none' }, details } },
      };
    }
  }
}
