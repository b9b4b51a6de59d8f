/**
 * What a resource is: a folder whose index.ts exports one definition (docs/architecture.md: How to add a resource).
 *
 * Fastify routes requests, reads bodies and runs hooks (links/app.ts). Resources do not see it: their routes are data, so
 * that the serial link and tests call the same handlers. Its validation is not used: Fastify compiles schemas at the
 * start, and the device has validators that were compiled at build time (validation/); it stops at the first broken rule
 * or collects all without a bound, and answers list up to 100; and it coerces values, which JSON needs not.
 */
import type { Board } from '../base/board.ts';
import type { Logger } from '../base/logger.ts';
import type { EventBus } from '../events/bus.ts';
import type { DiskSpace } from '../uploads/ports.ts';
import type { ConfigBinding } from './config/group.ts';
import type { ConfigStore } from './config/store.ts';
import type { Route } from './route.ts';

/** What every resource gets. */
export interface Services {
  board: Board;
  bus: EventBus;
  log: Logger;
  config: ConfigStore;
  /** The room on the data partition. */
  disk: DiskSpace;
  /** Reads a file that ships with the agent, by its path below `agent/`. */
  asset: (name: string) => Promise<Buffer>;
  /** What an operator should know, of all resources, as sentences. */
  problems: () => string[];
  /** The routes of all resources. */
  routes: () => readonly Route[];
  /** Another resource's service. The other resource is created first; two that need each other are an error. */
  use: <S>(definition: ResourceDefinition<never, S>) => Promise<S>;
}

/** A resource at run time. */
export interface Resource<S = unknown> {
  /** What other resources and the links use of it. */
  service: S;
  /** Endpoints without a route answer 501 `not_implemented`. */
  routes: readonly Route[];
  /** How its configuration takes effect; one binding for each of its groups. */
  config?: readonly ConfigBinding[];
  /** What an operator should know, as sentences for health. */
  problems?: () => readonly string[];
  /** Begins its work. Called in the order of creation, before the links listen. */
  start?: () => void | Promise<void>;
  /** The links listen: begins work that must not delay that. */
  ready?: () => void;
  /** Ends everything that was started. Called in the reverse order. */
  stop?: () => void | Promise<void>;
}

/**
 * A resource as the composition root knows it.
 * @typeParam P the ports to the board that it needs, each of which an adapter in `system/` implements
 * @typeParam S its service
 */
export interface ResourceDefinition<P = never, S = unknown> {
  create(services: Services, ports: P): Resource<S> | Promise<Resource<S>>;
}

/** Keeps the types of a definition. */
export function defineResource<P = unknown, S = undefined>(
  definition: ResourceDefinition<P, S>,
): ResourceDefinition<P, S> {
  return definition;
}

/** The ports that all of some definitions need together. */
export type PortsOf<L extends readonly ResourceDefinition[]> =
  TakerOf<L[number]> extends (all: infer A) => void ? A : never;
type TakerOf<D> = D extends ResourceDefinition<infer P> ? (ports: P) => void : never;

/** Creates resources, each once, those first that others use. */
export class Resources<P> {
  readonly #services: Services;
  readonly #ports: P;
  readonly #created = new Map<ResourceDefinition, Resource>();
  readonly #creating = new Set<ResourceDefinition>();

  constructor(services: Omit<Services, 'use' | 'problems' | 'routes'>, ports: P) {
    this.#ports = ports;
    this.#services = {
      ...services,
      use: (definition) => this.use(definition),
      routes: () => this.routes,
      problems: () => this.all.flatMap((resource) => [...(resource.problems?.() ?? [])]),
    };
  }

  /** In the order of creation. */
  get all(): Resource[] {
    return [...this.#created.values()];
  }

  get routes(): Route[] {
    return this.all.flatMap(({ routes }) => [...routes]);
  }

  async createAll(definitions: readonly ResourceDefinition[]): Promise<void> {
    for (const definition of definitions) await this.use(definition);
  }

  /** The service of a resource, which is created if it is not there yet. @throws Error for a cycle */
  async use<S>(definition: ResourceDefinition<never, S>): Promise<S> {
    const known = this.#created.get(definition);
    // What is kept under a definition was created by it.
    if (known) return known.service as S;
    if (this.#creating.has(definition)) throw new Error('two resources need each other');
    this.#creating.add(definition);
    // The composition root has the ports of all definitions (`PortsOf`).
    const { create }: ResourceDefinition<P, S> = definition;
    const resource = await create(this.#services, this.#ports);
    this.#creating.delete(definition);
    for (const binding of resource.config ?? []) this.#services.config.bind(binding);
    this.#created.set(definition, resource);
    return resource.service;
  }
}
