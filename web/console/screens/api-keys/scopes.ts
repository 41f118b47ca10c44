/** The rights of keys. The API names a right `resource:action`; `resource:*` and `*` stand for all of them. */
import type { ApiKeyCreate } from '@parley/sdk';
import { RESOURCE_NAMES, type Resource } from '../../texts/resources.ts';

export type Scope = ApiKeyCreate['scopes'][number];

export const ACTIONS = ['read', 'create', 'update', 'delete'] as const;
export type Action = (typeof ACTIONS)[number];
export type Right = `${Resource}:${Action}`;

// The keys of a catalogue are its resources, which the compiler cannot tell.
export const RESOURCES = Object.keys(RESOURCE_NAMES.en) as Resource[];

const RIGHTS: readonly Right[] = RESOURCES.flatMap((resource) =>
  ACTIONS.map((action): Right => `${resource}:${action}`),
);

export const holds = (scopes: readonly string[], resource: Resource, action: Action): boolean =>
  scopes.includes('*') || scopes.includes(`${resource}:*`) || scopes.includes(`${resource}:${action}`);

/** Returns every single right that the scopes give. */
export const listRights = (scopes: readonly string[]): ReadonlySet<Right> =>
  new Set(
    RESOURCES.flatMap((resource) => listActions(scopes, resource).map((action): Right => `${resource}:${action}`)),
  );

export const listActions = (scopes: readonly string[], resource: Resource): Action[] =>
  ACTIONS.filter((action) => holds(scopes, resource, action));

/** What an assistant needs to read and to write notes. */
export const ASSISTANT: readonly Right[] = [
  'contacts:read',
  'conversations:read',
  'messages:read',
  'messages:create',
  'inboxes:read',
  'users:read',
  'pipelines:read',
  'knowledge:read',
];

export const isReadOnly = (scopes: readonly string[]): boolean => scopes.every((scope) => scope.endsWith(':read'));

/** Returns the shortest scopes that give exactly these rights. */
export function toScopes(rights: ReadonlySet<Right>): Scope[] {
  if (rights.size === RIGHTS.length) return ['*'];
  return RESOURCES.flatMap((resource): Scope[] => {
    const chosen = ACTIONS.map((action): Right => `${resource}:${action}`).filter((right) => rights.has(right));
    return chosen.length === ACTIONS.length ? [`${resource}:*`] : chosen;
  });
}
