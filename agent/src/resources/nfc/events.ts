import type { EventBus } from '../../events/bus.ts';
import type { Change } from './readers.ts';
import { nfcReaderConnected, nfcReaderDisconnected, nfcTag, nfcTagRemoved } from './schema.ts';

/** Reports changes to hosts, in this order. */
export function emitChanges(bus: EventBus, changes: readonly Change[]): void {
  for (const each of changes) {
    switch (each.change) {
      case 'connected':
        bus.emit(nfcReaderConnected, { reader_id: each.reader_id, backend: each.backend });
        break;
      case 'disconnected':
        bus.emit(nfcReaderDisconnected, { reader_id: each.reader_id });
        break;
      case 'tag':
        bus.emit(nfcTag, each.tag);
        break;
      case 'tag_removed':
        bus.emit(nfcTagRemoved, { reader_id: each.reader_id, tag_handle: each.tag_handle });
        break;
    }
  }
}
