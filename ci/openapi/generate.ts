/** The description of the API as files: for machines, and as a page for people. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as contract from '../../agent/src/resources/contract.ts';
import { asyncApi } from './asyncapi.ts';
import { openApi } from './openapi.ts';
import { docsPage } from './page/page.ts';
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
  const style = await readFile(new URL('page/page.css', import.meta.url), 'utf8');
  return docsPage(openApi(contract), { style, script: await pageScript() });
}

/** The script of the page. Nothing in it ends its element. */
async function pageScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('page/script/main.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    target: ['chrome123', 'firefox121', 'safari17.5'],
    minify: true,
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0]?.text.trim() ?? '';
}
