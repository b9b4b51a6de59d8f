import { atMost } from '../../contract/at-most.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import { receiveToMemory } from '../../uploads/receive.ts';
import type { Certificates } from './certificates.ts';
import {
  deleteCaCertificates,
  deleteServerCertificate,
  MAX_PEM_BYTES,
  uploadCaCertificates,
  uploadServerCertificate,
} from './schema.ts';

/** Each is held in memory whole. */
const MAX_UPLOADS = 4;

export function certificateRoutes(certificates: Certificates): Route[] {
  const bounded = atMost(MAX_UPLOADS, 'certificate files on their way');
  return [
    serve(uploadCaCertificates, async ({ upload }) => {
      await bounded(async () => certificates.putCa(await receiveToMemory(upload, MAX_PEM_BYTES)));
      return undefined;
    }),
    serve(deleteCaCertificates, async () => {
      await certificates.deleteCa();
      return undefined;
    }),
    serve(uploadServerCertificate, async ({ upload }) => {
      await bounded(async () => certificates.putServer(await receiveToMemory(upload, MAX_PEM_BYTES)));
      return undefined;
    }),
    serve(deleteServerCertificate, async () => {
      await certificates.deleteServer();
      return undefined;
    }),
  ];
}
