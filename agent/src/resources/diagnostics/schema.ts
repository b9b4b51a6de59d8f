import * as Type from 'typebox';
import { endpoint } from '../../contract/endpoint.ts';

export const getDiagnostics = endpoint({
  method: 'GET',
  path: '/device/diagnostics',
  tag: 'Device',
  summary: 'Everything that helps to find the cause of a problem, as one archive',
  description:
    'A zip archive with the answer of every GET without parameters as a file, the newest records of the log and those of ' +
    'the last day, and a picture of the screen. What the device cannot answer is there as its error. Passphrases, tokens ' +
    'and passwords are replaced by `(removed)`; what pages and programs have logged is not looked through for others, and ' +
    'the picture shows what the screen shows. Takes some seconds.',
  query: Type.Object(
    { picture: Type.Optional(Type.Enum(['yes', 'no'], { default: 'yes', description: 'Of the screen' })) },
    { additionalProperties: false },
  ),
  status: 200,
  download: { contentType: 'application/zip', description: 'The archive' },
  errors: [],
});
