/** The description of the API as files: for machines, and as a page for people. */
import { readFile } from 'node:fs/promises';
import * as contract from '../../agent/src/resources/contract.ts';
import { openApi } from './openapi.ts';
import { docsPage } from './page.ts';
import { toYaml } from './yaml.ts';

/** The OpenAPI document. */
export function openApiYaml(): string {
  return toYaml(openApi(contract));
}

/** The same as one HTML page. */
export async function docsHtml(): Promise<string> {
  const style = await readFile(new URL('page.css', import.meta.url), 'utf8');
  return docsPage(openApi(contract), style);
}
