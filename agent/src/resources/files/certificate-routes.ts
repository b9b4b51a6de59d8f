import { collectBody } from '../../contract/body.ts';
import { type Route, serve } from '../../contract/endpoint.ts';
import type { Certificates } from './certificates.ts';
import {
  deleteCaCertificates,
  deleteServerCertificate,
  MAX_PEM_BYTES,
  putCaCertificates,
  putServerCertificate,
} from './schema.ts';

export function certificateRoutes(certificates: Certificates): Route[] {
  return [
    serve(putCaCertificates, async ({ upload }) => {
      await certificates.putCa(await collectBody(upload, MAX_PEM_BYTES));
      return undefined;
    }),
    serve(deleteCaCertificates, async () => {
      await certificates.deleteCa();
      return undefined;
    }),
    serve(putServerCertificate, async ({ upload }) => {
      await certificates.putServer(await collectBody(upload, MAX_PEM_BYTES));
      return undefined;
    }),
    serve(deleteServerCertificate, async () => {
      await certificates.deleteServer();
      return undefined;
    }),
  ];
}
