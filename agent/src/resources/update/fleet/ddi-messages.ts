/** What a DDI server answers. Pure: every answer is checked against a schema before anything of it is used. */

import * as Type from 'typebox';
import { validator } from '../../../validation/validator.ts';

/** Part of a path of ours: hawkBit and gooseBit use numbers, gooseBit also -1. */
const ID = '^[A-Za-z0-9_-]{1,64}$';
const Href = Type.Object({ href: Type.String({ maxLength: 4096 }) });

export const PollAnswer = validator(
  Type.Object({
    config: Type.Optional(
      Type.Object({ polling: Type.Optional(Type.Object({ sleep: Type.Optional(Type.String()) })) }),
    ),
    _links: Type.Optional(
      Type.Object({
        deploymentBase: Type.Optional(Href),
        cancelAction: Type.Optional(Href),
        configData: Type.Optional(Href),
      }),
    ),
  }),
);

const Handling = Type.Enum(['skip', 'attempt', 'forced']);
// Its hashes are not read: the bundle is never fetched as a whole, and its signature covers every part.
const Artifact = Type.Object({
  filename: Type.String({ minLength: 1, maxLength: 255 }),
  size: Type.Integer({ minimum: 1 }),
  _links: Type.Object({ download: Type.Optional(Href), 'download-http': Type.Optional(Href) }),
});

export const DeploymentAnswer = validator(
  Type.Object({
    id: Type.String({ pattern: ID }),
    deployment: Type.Object({
      download: Handling,
      update: Handling,
      maintenanceWindow: Type.Optional(Type.Union([Type.Enum(['available', 'unavailable']), Type.Null()])),
      chunks: Type.Array(
        Type.Object({
          version: Type.String({ maxLength: 256 }),
          artifacts: Type.Optional(Type.Array(Artifact, { maxItems: 32 })),
        }),
        { maxItems: 32 },
      ),
    }),
  }),
);

export const CancelAnswer = validator(
  Type.Object({
    cancelAction: Type.Object({ stopId: Type.String({ pattern: ID }) }),
  }),
);

/** What the server wants, from its answer to a poll. */
export interface Poll {
  /** Undefined: the server did not say. */
  sleepMs: number | undefined;
  /** The action to work on. */
  offer: string | undefined;
  /** The action to cancel. */
  cancel: string | undefined;
  wantsAttributes: boolean;
}

/** Where a bundle is. */
export interface Artifact {
  /** Of the whole file, in bytes. */
  size: number;
  /** For a server reached by HTTPS, and for one reached by HTTP. */
  links: { secure?: string; plain?: string };
}

/** What the server allows for an action now. */
export interface Deployment {
  id: string;
  version: string;
  mayDownload: boolean;
  mayReboot: boolean;
  /** Or why the action can never be carried out, as a sentence. */
  artifact: Artifact | string;
}

/** An answer that does not fit; `message` says where. */
export class InvalidAnswer extends Error {}

/** @throws InvalidAnswer */
export function readPoll(answer: unknown): Poll {
  if (!PollAnswer.fits(answer)) throw new InvalidAnswer(firstIssue(PollAnswer.issues(answer)));
  const { deploymentBase, cancelAction, configData } = answer._links ?? {};
  return {
    sleepMs: readSleep(answer.config?.polling?.sleep),
    offer: idOf(deploymentBase?.href, 'deploymentBase'),
    cancel: idOf(cancelAction?.href, 'cancelAction'),
    wantsAttributes: configData !== undefined,
  };
}

/** @throws InvalidAnswer */
export function readDeployment(answer: unknown, id: string): Deployment {
  if (!DeploymentAnswer.fits(answer)) throw new InvalidAnswer(firstIssue(DeploymentAnswer.issues(answer)));
  if (answer.id !== id) throw new InvalidAnswer(`the deployment ${id} has the id ${answer.id}`);
  const { download, update, maintenanceWindow, chunks } = answer.deployment;
  const [chunk] = chunks;
  const found = chunks.flatMap(({ artifacts = [] }) => artifacts);
  const bundles = found.filter(({ filename }) => filename.toLowerCase().endsWith('.raucb'));
  const [bundle] = bundles;
  const allowed = {
    mayDownload: download !== 'skip',
    mayReboot: update !== 'skip' && maintenanceWindow !== 'unavailable',
  };
  const named = { id, version: chunk?.version ?? '', ...allowed };
  if (!bundle || bundles.length > 1 || found.length > 1) {
    const count = `${found.length} files, ${bundles.length} of them bundles (.raucb)`;
    return { ...named, artifact: `The deployment has ${count}; it must be one bundle.` };
  }
  const { size, _links: links } = bundle;
  const secure = links.download?.href;
  const plain = links['download-http']?.href;
  return { ...named, artifact: { size, links: { ...(secure && { secure }), ...(plain && { plain }) } } };
}

/** @returns the action to stop @throws InvalidAnswer */
export function readCancel(answer: unknown): string {
  if (!CancelAnswer.fits(answer)) throw new InvalidAnswer(firstIssue(CancelAnswer.issues(answer)));
  return answer.cancelAction.stopId;
}

function firstIssue([issue]: readonly { path: string; message: string }[]): string {
  return issue ? `${issue.path.slice(0, 100)} ${issue.message.slice(0, 100)}` : 'it has another form';
}

/** `HH:mm:ss` in ms. */
function readSleep(text: string | undefined): number | undefined {
  const [, hours, minutes, seconds] = (/^(\d{1,4}):([0-5]\d):([0-5]\d)$/.exec(text ?? '') ?? []).map(Number);
  if (hours === undefined || minutes === undefined || seconds === undefined) return undefined;
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/**
 * The id in a link. Only the id is used: requests with the token go to paths below the configured address, wherever
 * the server's links point.
 */
function idOf(href: string | undefined, resource: string): string | undefined {
  if (href === undefined) return undefined;
  const [path = ''] = href.split(/[?#]/, 1);
  const id = new RegExp(`/${resource}/([^/]*)$`).exec(path)?.[1] ?? '';
  if (!new RegExp(ID).test(id)) throw new InvalidAnswer(`the link ${resource} has no id of an action`);
  return id;
}
