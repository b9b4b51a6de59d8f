import { isObject, type Json, type JsonObject } from '../json.ts';
import type { OpenApi } from '../openapi.ts';
import { headingHtml, methodHtml, operationHtml, operationsOf } from './operation-html.ts';
import { ORIGIN } from './samples.ts';
import { refName, schemaHtml, shapesIn } from './schema-html.ts';
import { escapeHtml, inline, prose } from './text-html.ts';

/** Parts of the page behind those of the tags. */
const PARTS = [
  ['events', 'Event topics'],
  ['websocket', 'WebSocket frames'],
  ['serial', 'Serial frames'],
  ['errors', 'Errors'],
  ['shapes', 'Shapes'],
] as const;
/** Descriptions for machines that the device serves beside the page, if it has them. */
const MACHINE_FILES = ['openapi.yaml', 'asyncapi.yaml'];

/** What the page has inline: it loads no files, so that it also works when it was saved. */
export interface PageParts {
  /** Text of the style sheet. */
  style: string;
  /** Text of the script, which adds search, copying and remembering. Everything can be read without it. */
  script: string;
}

/** The contract as one HTML page, for a computer whose only network is the cable. */
export function docsPage(document: OpenApi, { style, script }: PageParts): string {
  const { info, tags } = document;
  const title = `${String(info.title)} API`;
  const version = escapeHtml(String(info.version));
  const brand = `<p class="brand"><a href="#top">${escapeHtml(title)}</a> <span>${version}</span></p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#top">Skip to the content</a>
<header>
${brand}
<button type="button" class="menu" popovertarget="contents">Contents</button>
</header>
<nav id="contents" aria-label="Contents" popover>
<button type="button" class="menu" popovertarget="contents" popovertargetaction="hide">Close</button>
<ul>
${tags.map(({ name }) => navOf(document, name)).join('\n')}
${PARTS.map(([id, name]) => `<li><a href="#${id}">${name}</a></li>`).join('\n')}
</ul>
</nav>
<main id="top" tabindex="-1">
${introductionHtml(document, title)}
${tags.map((tag) => sectionOf(document, tag)).join('\n')}
${eventsHtml(document)}
${framesHtml(document, 'websocket')}
${framesHtml(document, 'serial')}
${errorsHtml(document)}
${shapesHtml(document)}
</main>
<script>${script}</script>
</body>
</html>
`;
}

function slug(text: string): string {
  return text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}

function object(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function introductionHtml({ info, paths }: OpenApi, title: string): string {
  const files = MACHINE_FILES.filter((name) => paths[`/${name}`] !== undefined);
  const links = files.map((name) => `<a href="${name}">${name}</a>`).join(' ');
  return `<section class="introduction"><h1>${escapeHtml(title)}</h1>
<dl class="facts"><div><dt>Address</dt><dd><code><span class="origin">${ORIGIN}</span>/api/v1</code></dd></div>
<div><dt>For machines</dt><dd>${links}</dd></div></dl>
${prose(String(info.description))}</section>`;
}

function navOf(document: OpenApi, tag: string): string {
  const items = operationsOf(document, tag).map(
    ({ method, path, anchor }) =>
      `<li><a href="#${anchor}">${methodHtml(method)} <span>${escapeHtml(path)}</span></a></li>`,
  );
  return `<li><a href="#tag-${slug(tag)}">${escapeHtml(tag)}</a><ul>${items.join('')}</ul></li>`;
}

function sectionOf(document: OpenApi, { name, description }: OpenApi['tags'][number]): string {
  const operations = operationsOf(document, name).map((shown) => operationHtml(document, shown));
  return `<section id="tag-${slug(name)}"><h2>${escapeHtml(name)}</h2><p class="lead">${inline(description)}.</p>${operations.join('\n')}</section>`;
}

/** A part of the page with its title. */
function partHtml(id: (typeof PARTS)[number][0], html: string): string {
  const title = PARTS.find(([of]) => of === id)?.[1] ?? '';
  return `<section id="${id}"><h2>${title}</h2>${html}</section>`;
}

function eventsHtml(document: OpenApi): string {
  const topics = Object.entries(document['x-events']).map(([name, event]) => {
    const { summary, payload } = object(event);
    const heading = headingHtml(`topic-${name}`, `<code>${name}</code>`);
    return `<article id="topic-${name}" data-kind="event">${heading}<p>${inline(String(summary))}</p>${schemaHtml(payload, 'optional')}</article>`;
  });
  const lead =
    'The same on the WebSocket and on serial. <a href="#openEvents">Samples</a> show how to subscribe.';
  return partHtml('events', `<p class="lead">${lead}</p>${topics.join('\n')}`);
}

function framesHtml(document: OpenApi, id: 'websocket' | 'serial'): string {
  const { schemas } = document.components;
  const link = document[`x-${id}`];
  const directions = Object.entries(link)
    .filter(([key]) => key.endsWith('-frames'))
    .map(([key, frames]) => {
      const of = object(frames).oneOf;
      const rows = (Array.isArray(of) ? of : []).map((frame) => {
        const name = escapeHtml(refName(frame) ?? '');
        const { description } = object(schemas[name]);
        const text = typeof description === 'string' ? inline(description) : '';
        return `<li><p data-shape="${name}"><a href="#shape-${name}">${name}</a> ${text}</p></li>`;
      });
      return `<h3>From the ${escapeHtml(key.replace('-frames', ''))}</h3><ul class="frames">${rows.join('')}</ul>`;
    });
  return partHtml(id, `${prose(String(link.description))}${directions.join('')}`);
}

function errorsHtml(document: OpenApi): string {
  const rows = Object.entries(document['x-errors']).map(([code, error]) => {
    const { status, message } = object(error);
    return `<div id="error-${code}" data-kind="error"><dt><code>${code}</code> <span class="type">${String(status)}</span></dt><dd><p>${inline(String(message))}</p></dd></div>`;
  });
  return partHtml('errors', `<dl class="fields">${rows.join('')}</dl>`);
}

function shapesHtml(document: OpenApi): string {
  const { schemas } = document.components;
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const sent = shapesIn(
    operations.map(({ requestBody }) => requestBody ?? null),
    schemas,
  );
  const shapes = Object.entries(schemas).map(([name, schema]) => {
    const { description } = object(schema);
    const text = typeof description === 'string' ? prose(description) : '';
    const heading = headingHtml(`shape-${name}`, name);
    const fields = schemaHtml(schema, sent.has(name) ? 'required' : 'optional');
    return `<article id="shape-${name}" data-kind="shape">${heading}${text}${fields}</article>`;
  });
  return partHtml('shapes', shapes.join('\n'));
}
