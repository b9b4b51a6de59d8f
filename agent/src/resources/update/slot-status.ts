/** What the slots' state means for clients. */
import type { SlotName, SlotReport } from './ports.ts';
import type { UpdateStatus } from './schema.ts';
import type { Slots } from './slots.ts';
import type { UpdateState } from './state-file.ts';

/** The state of the slots in `GET /update`, without the fleet client's. */
export type SlotStatus = Omit<UpdateStatus, 'hawkbit'>;

export function otherSlot(slot: SlotName): SlotName {
  return slot === 'a' ? 'b' : 'a';
}

/**
 * Whether the other slot contains an installed update that was not applied. The service takes a slot out of the boot
 * order before it writes it, and only `apply` puts it back.
 */
export function isPending({ booted, slots }: SlotReport, { installed, intent }: UpdateState): boolean {
  const { content, bootable, installations } = slots[otherSlot(booted)];
  return (
    content === 'complete' &&
    !bootable &&
    !intent &&
    installed !== null &&
    installed.installations === installations
  );
}

export interface SlotContext {
  /** Whether the running boot was confirmed. */
  confirmed: boolean;
  /** Whether the other slot is being written. */
  installing: boolean;
}

/** @param report undefined on a system without slots @param version of the running system */
export function slotStatus(
  slots: Pick<Slots, 'booted' | 'versionOf'>,
  report: SlotReport | undefined,
  state: UpdateState,
  context: SlotContext,
  version: string,
): SlotStatus {
  if (!report) return withoutSlots(slots.booted, version);
  const states = slotStates(report, state, context);
  const slotOf = (name: SlotName) => ({
    version: name === report.booted ? version : slots.versionOf(report, name),
    state: states[name],
  });
  const hasPending = !context.installing && isPending(report, state);
  return {
    active_slot: report.booted,
    slots: { a: slotOf('a'), b: slotOf('b') },
    pending: hasPending ? slots.versionOf(report, otherSlot(report.booted)) : null,
    last_result: state.last_result,
  };
}

/** The same slot as `GET /device`, which must name one. */
function withoutSlots(booted: SlotName, version: string): SlotStatus {
  const [own, other] = [{ version, state: 'good' } as const, { version: null, state: 'unknown' } as const];
  const slots = booted === 'a' ? { a: own, b: other } : { a: other, b: own };
  return { active_slot: booted, slots, pending: null, last_result: null };
}

function slotStates(
  report: SlotReport,
  state: UpdateState,
  { confirmed, installing }: SlotContext,
): Record<SlotName, 'good' | 'bad' | 'unknown'> {
  const { booted } = report;
  const other = otherSlot(booted);
  const { content, bootable } = report.slots[other];
  const own = confirmed ? 'good' : 'unknown';
  const isOpen = installing || state.intent?.slot === other || isPending(report, state);
  const others = isOpen ? 'unknown' : content !== 'incomplete' && bootable ? 'good' : 'bad';
  return booted === 'a' ? { a: own, b: others } : { a: others, b: own };
}

/** What an operator should know of the slots, as sentences. */
export function slotProblems(report: SlotReport, state: UpdateState, context: SlotContext): string[] {
  const { booted } = report;
  const other = otherSlot(booted);
  if (slotStates(report, state, context)[other] !== 'bad') return [];
  const { last_result: result } = state;
  if (result?.outcome === 'rolled_back' && result.slot === other) {
    const version = result.version === null ? '' : ` to ${result.version}`;
    return [
      `The update${version} was rolled back: ${result.reason?.message ?? ''} The device runs from slot ${booted}.`,
    ];
  }
  if (report.slots[other].content === 'incomplete') {
    return [`Slot ${other} holds an incomplete update and cannot be started; install an update again.`];
  }
  return [`Slot ${other} does not start or was marked bad; the device runs from slot ${booted}.`];
}
