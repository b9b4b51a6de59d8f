/** The description of the API as files: for machines, and as a page for people. */
import { readFile } from 'node:fs/promises';
import * as contract from '../../agent/src/resources/contract.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';
import { docsPage } from './page.ts';
import { toYaml } from './yaml.ts';

/** The OpenAPI document. */
export function openApiYaml(): string {
  return toYaml(openApi(contract));
}

/** The AsyncAPI document. */
export function asyncApiYaml(): string {
  return toYaml(asyncApi(contract.topics));
}

/** The OpenAPI document as one HTML page. */
export async function docsHtml(): Promise<string> {
  const style = await readFile(new URL('page.css', import.meta.url), 'utf8');
  return docsPage(openApi(contract), style);
}
