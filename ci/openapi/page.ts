import { isObject, type Json, type JsonObject } from './json.ts';
import type { OpenApi } from './openapi.ts';
import { escapeHtml, inline, prose, schemaHtml } from './schema-html.ts';

/**
 * The contract as one HTML page that loads no scripts, fonts or pictures, so that it works on a computer whose only
 * network is the cable.
 * @param style text of the style sheet
 */
export function docsPage(document: OpenApi, style: string): string {
  const { info, tags } = document;
  const title = `${String(info.title)} API`;
  const sections = tags.map((tag) => sectionOf(document, tag));
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<nav aria-label="Contents">
<p class="brand"><a href="#top">${escapeHtml(title)}</a> <span>v${escapeHtml(String(info.version))}</span></p>
<p class="links"><a href="openapi.yaml">openapi.yaml</a></p>
<ul>
${tags.map((tag) => navOf(document, tag.name)).join('\n')}
<li><a href="#events">Event topics</a></li>
<li><a href="#websocket">WebSocket frames</a></li>
<li><a href="#serial">Serial frames</a></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#shapes">Shapes</a></li>
</ul>
</nav>
<main id="top">
<h1>${escapeHtml(title)}</h1>
${prose(String(info.description))}
${sections.join('\n')}
${eventsHtml(document)}
${framesHtml('websocket', 'WebSocket frames', document['x-websocket'])}
${framesHtml('serial', 'Serial frames', document['x-serial'])}
${errorsHtml(document)}
${shapesHtml(document)}
</main>
</body>
</html>
`;
}

interface Shown {
  method: string;
  path: string;
  operation: JsonObject;
  anchor: string;
}

function operationsOf({ paths }: OpenApi, tag: string): Shown[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => Array.isArray(operation.tags) && operation.tags.includes(tag))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
        anchor: String(operation.operationId),
      })),
  );
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function navOf(document: OpenApi, tag: string): string {
  const items = operationsOf(document, tag).map(
    ({ method, path, anchor }) =>
      `<li><a href="#${anchor}"><b class="${method.toLowerCase()}">${method}</b> ${escapeHtml(path)}</a></li>`,
  );
  return `<li><a href="#tag-${slug(tag)}">${escapeHtml(tag)}</a><ul>${items.join('')}</ul></li>`;
}

function sectionOf(document: OpenApi, { name, description }: OpenApi['tags'][number]): string {
  const operations = operationsOf(document, name).map((shown) => operationHtml(document, shown));
  return `<section id="tag-${slug(name)}"><h2>${escapeHtml(name)}</h2><p>${inline(description)}.</p>${operations.join('\n')}</section>`;
}

function operationHtml(document: OpenApi, { method, path, operation, anchor }: Shown): string {
  const { summary, description, parameters, requestBody, responses } = operation;
  const parts = [
    `<h3><b class="${method.toLowerCase()}">${method}</b> <a href="#${anchor}"><code>${escapeHtml(path)}</code></a></h3>`,
    `<p class="summary">${inline(String(summary))}</p>`,
    typeof description === 'string' ? prose(description) : '',
    parametersHtml(parameters),
    bodyHtml('Request', requestBody),
    responsesHtml(document, responses),
  ];
  return `<article id="${anchor}">${parts.join('')}</article>`;
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
    return `<h4>${place === 'path' ? 'In the path' : 'Query'}</h4>${schemaHtml(schema)}`;
  });
  return places.join('');
}

function bodyHtml(title: string, body: Json | undefined): string {
  const { content, description } = object(body);
  const types = Object.entries(object(content));
  if (types.length === 0) return '';
  const text = typeof description === 'string' ? `<p>${inline(description)}</p>` : '';
  const shape = types.map(([, media]) => schemaHtml(object(media).schema)).join('');
  const names = types.map(([type]) => `<code>${escapeHtml(type)}</code>`).join(', ');
  return `<h4>${title} <span class="media">${names}</span></h4>${text}${shape}`;
}

function responsesHtml(document: OpenApi, responses: Json | undefined): string {
  const rows = Object.entries(object(responses)).map(([status, response]) => {
    const of = object(response);
    if (typeof of.$ref !== 'string') {
      return (
        bodyHtml(`Answer ${status}`, response) ||
        `<h4>Answer ${status}</h4><p>${inline(String(of.description))}.</p>`
      );
    }
    const named = object(document.components.responses[of.$ref.split('/').at(-1) ?? '']);
    const schema = object(object(object(named.content)['application/json']).schema);
    const codes = object(object(object(object(schema.properties).error).properties).code).enum;
    const links = (Array.isArray(codes) ? codes : []).map(
      (code) => `<a href="#error-${escapeHtml(String(code))}"><code>${escapeHtml(String(code))}</code></a>`,
    );
    return `<li>${status} ${links.join(' ')}</li>`;
  });
  const isError = (row: string) => row.startsWith('<li>');
  const errors = rows.filter(isError);
  const answers = rows.filter((row) => !isError(row)).join('');
  return `${answers}<ul class="codes" aria-label="Errors">${errors.join('')}</ul>`;
}

function eventsHtml(document: OpenApi): string {
  const topics = Object.entries(document['x-events']).map(([name, event]) => {
    const { summary, payload } = object(event);
    return `<article id="topic-${name}"><h3><a href="#topic-${name}"><code>${name}</code></a></h3><p class="summary">${inline(String(summary))}</p>${schemaHtml(payload)}</article>`;
  });
  return `<section id="events"><h2>Event topics</h2><p>The same on the WebSocket and on serial.</p>${topics.join('\n')}</section>`;
}

function framesHtml(id: string, title: string, link: JsonObject): string {
  const directions = Object.entries(link)
    .filter(([key]) => key.endsWith('-frames'))
    .map(
      ([key, frames]) => `<h3>From the ${escapeHtml(key.replace('-frames', ''))}</h3>${schemaHtml(frames)}`,
    );
  return `<section id="${id}"><h2>${title}</h2>${prose(String(link.description))}${directions.join('')}</section>`;
}

function errorsHtml(document: OpenApi): string {
  const rows = Object.entries(document['x-errors']).map(([code, error]) => {
    const { status, message } = object(error);
    return `<tr id="error-${code}"><th scope="row"><code>${code}</code></th><td>${String(status)}</td><td>${inline(String(message))}</td></tr>`;
  });
  return `<section id="errors"><h2>Errors</h2><table class="fields">${rows.join('')}</table></section>`;
}

function shapesHtml(document: OpenApi): string {
  const shapes = Object.entries(document.components.schemas).map(([name, schema]) => {
    const { description } = object(schema);
    const text = typeof description === 'string' ? prose(description) : '';
    return `<article id="shape-${name}"><h3><a href="#shape-${name}">${name}</a></h3>${text}${schemaHtml(schema)}</article>`;
  });
  return `<section id="shapes"><h2>Shapes</h2>${shapes.join('\n')}</section>`;
}
