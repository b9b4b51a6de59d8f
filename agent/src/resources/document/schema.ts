import { endpoint } from '../../contract/endpoint.ts';

const tag = 'Contract';

export const getOpenApi = endpoint({
  method: 'GET',
  path: '/openapi.yaml',
  tag,
  summary: 'This contract, for machines',
  description: 'The OpenAPI document of this firmware version.',
  status: 200,
  download: { contentType: 'application/yaml', description: 'OpenAPI 3.1' },
  errors: [],
});

export const getAsyncApi = endpoint({
  method: 'GET',
  path: '/asyncapi.yaml',
  tag,
  summary: 'Events and frames, for machines',
  description:
    'The AsyncAPI document of this firmware version: what the WebSocket and the serial link carry besides requests.',
  status: 200,
  download: { contentType: 'application/yaml', description: 'AsyncAPI 3.0' },
  errors: [],
});

export const getDocs = endpoint({
  method: 'GET',
  path: '/docs',
  tag,
  summary: 'This contract, for people',
  description: 'The OpenAPI document as one HTML page.',
  status: 200,
  download: { contentType: 'text/html; charset=utf-8', description: 'One page that needs nothing else' },
  errors: [],
});
