import { isObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApi } from '../openapi.ts';
import { jsonLiteral } from './literal.ts';
import { exampleOf } from './sample-value.ts';
import { ORIGIN, SAMPLE_KINDS, sampleRequest, samplesOf } from './samples.ts';
import { fieldsHtml, schemaHtml } from './schema-html.ts';
import { escapeHtml, inline, prose } from './text-html.ts';

const JSON_TYPE = 'application/json';
/** Longer examples of answers are shown on request. */
const MAX_OPEN_LINES = 30;

/** One operation of the document. */
export interface Shown {
  /** As in the document, in lower case. */
  method: string;
  path: string;
  operation: JsonObject;
  /** Its id on the page. */
  anchor: string;
}

/** The operations with a tag, in the order of the document. */
export function operationsOf({ paths }: OpenApi, tag: string): Shown[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => Array.isArray(operation.tags) && operation.tags.includes(tag))
      .map(([method, operation]) => ({ method, path, operation, anchor: String(operation.operationId) })),
  );
}

/** A method as a coloured word. */
export function methodHtml(method: string): string {
  return `<b class="method ${method}">${method.toUpperCase()}</b>`;
}

/** The heading of an entry with a link to itself. */
export function headingHtml(anchor: string, html: string): string {
  return `<h3><a href="#${anchor}">${html}</a></h3>`;
}

/** An operation: what it does, takes and answers, and samples beside it. */
export function operationHtml(document: OpenApi, shown: Shown): string {
  const { method, path, operation, anchor } = shown;
  const { summary, description, parameters, requestBody, responses } = operation;
  const about = [
    headingHtml(anchor, inline(String(summary))),
    `<p class="route">${methodHtml(method)} <code>${escapeHtml(path)}</code></p>`,
    typeof description === 'string' ? prose(description) : '',
    parametersHtml(parameters),
    bodyHtml('Request', requestBody, 'required'),
    responsesHtml(document, responses),
  ];
  return `<article id="${anchor}" data-kind="operation"><div class="about">${about.join('')}</div><div class="aside">${samplesHtml(document, shown)}${answerHtml(responses)}</div></article>`;
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function parametersHtml(parameters: Json | undefined): string {
  if (!Array.isArray(parameters)) return '';
  const places = ['path', 'query'].map((place) => {
    const of = parameters.map(object).filter((parameter) => parameter.in === place);
    if (of.length === 0) return '';
    const schema: JsonObject = {
      type: 'object',
      properties: Object.fromEntries(of.map(({ name, schema: field }) => [String(name), field ?? {}])),
      required: of.filter(({ required }) => required === true).map(({ name }) => String(name)),
    };
    return `<h4>${place === 'path' ? 'In the path' : 'Query'}</h4>${fieldsHtml(schema, 'required')}`;
  });
  return places.join('');
}

function bodyHtml(title: string, body: Json | undefined, marked: 'required' | 'optional'): string {
  const { content, description } = object(body);
  const types = Object.entries(object(content));
  if (types.length === 0) return '';
  // Of JSON, the schema says more.
  const isJson = JSON_TYPE in object(content);
  const text = typeof description === 'string' && !isJson ? `<p>${inline(description)}</p>` : '';
  const shape = types.map(([, media]) => schemaHtml(object(media).schema, marked)).join('');
  const names = types.map(([type]) => `<code>${escapeHtml(type)}</code>`).join(', ');
  return `<h4>${title} <span class="media">${names}</span></h4>${text}${shape}`;
}

function responsesHtml(document: OpenApi, responses: Json | undefined): string {
  const answers: string[] = [];
  const errors: string[] = [];
  for (const [status, response] of Object.entries(object(responses))) {
    const of = object(response);
    if (typeof of.$ref === 'string') errors.push(errorHtml(document, status, of.$ref));
    else {
      const empty = `<h4>Answer ${status}</h4><p>${inline(String(of.description))}.</p>`;
      answers.push(bodyHtml(`Answer ${status}`, response, 'optional') || empty);
    }
  }
  return `${answers.join('')}<h4>Errors</h4><ul class="codes">${errors.join('')}</ul>`;
}

/** The codes of a status. */
function errorHtml(document: OpenApi, status: string, ref: string): string {
  const named = object(document.components.responses[ref.split('/').at(-1) ?? '']);
  const schema = object(object(object(named.content)[JSON_TYPE]).schema);
  const codes = object(object(object(object(schema.properties).error).properties).code).enum;
  const links = (Array.isArray(codes) ? codes : []).map(
    (code) => `<a href="#error-${escapeHtml(String(code))}"><code>${escapeHtml(String(code))}</code></a>`,
  );
  return `<li>${status} ${links.join(' ')}</li>`;
}

/**
 * Samples under tabs, which are radio buttons: they work without the script, which only keeps them all at the same
 * language.
 */
function samplesHtml(document: OpenApi, { method, path, anchor }: Shown): string {
  const samples = samplesOf(sampleRequest(document, path, method));
  const tabs = SAMPLE_KINDS.map(
    (kind, index) =>
      `<label><input type="radio" name="sample-${anchor}" value="${kind}"${index === 0 ? ' checked' : ''}><span>${kind}</span></label>`,
  );
  const codes = SAMPLE_KINDS.map((kind) => codeHtml(samples[kind], kind));
  return `<fieldset class="samples"><legend class="hidden">Sample of ${anchor}</legend><div class="tabs">${tabs.join('')}</div>${codes.join('')}</fieldset>`;
}

function codeHtml(code: string, kind: string): string {
  const html = escapeHtml(code).replaceAll(ORIGIN, `<span class="origin">${ORIGIN}</span>`);
  return `<pre data-code="${kind}"><code>${html}</code></pre>`;
}

/** The example of a successful JSON answer, if the document has one. */
function answerHtml(responses: Json | undefined): string {
  for (const [status, response] of Object.entries(object(responses))) {
    const example = exampleOf(object(object(object(response).content)[JSON_TYPE]));
    if (Number(status) < 300 && example !== undefined) {
      const code = jsonLiteral(example);
      const open = code.split('\n').length > MAX_OPEN_LINES ? '' : ' open';
      return `<details class="answer"${open}><summary>Answer ${status}</summary>${codeHtml(code, 'JSON')}</details>`;
    }
  }
  return '';
}
