import { defineResource } from '../resource.ts';
import * as contract from './schema.ts';

export const page = defineResource({ contract, create: () => ({ service: undefined, routes: [] }) });
