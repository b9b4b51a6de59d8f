import * as Type from 'typebox';
import { endpoint } from '../../../contract/endpoint.ts';

const Led = Type.Object({ on: Type.Boolean(), brightness: Type.Integer() }, { $id: 'Led' });

export const getLed = endpoint({
  method: 'GET',
  path: '/led',
  tag: 'Device',
  summary: 'The status LED',
  status: 200,
  response: Led,
  errors: ['unavailable'],
});

export const setLed = endpoint({
  method: 'POST',
  path: '/led',
  tag: 'Device',
  summary: 'Switch the status LED',
  body: Type.Object({ on: Type.Boolean() }, { additionalProperties: false }),
  status: 200,
  response: Led,
  errors: ['unavailable'],
});
