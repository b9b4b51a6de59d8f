import type { FleetEvent } from './fleet-state.ts';

const MASK = '[token]';

/** The event with a mask in place of the token in every text that is logged or shown. */
export function withoutToken(event: FleetEvent, token: string): FleetEvent {
  const clean = (text: string) => text.replaceAll(token, MASK).replaceAll(encodeURIComponent(token), MASK);
  switch (event.event) {
    case 'deployment_read': {
      const { version, artifact } = event.deployment;
      const reason = typeof artifact === 'string' ? clean(artifact) : artifact;
      return { ...event, deployment: { ...event.deployment, version: clean(version), artifact: reason } };
    }
    case 'request_failed':
      return { ...event, failure: { ...event.failure, message: clean(event.failure.message) } };
    case 'updater_failed':
    case 'install_failed':
    case 'apply_failed':
      return { ...event, message: clean(event.message) };
    default:
      return event;
  }
}
