/**
 * The actor is the user, key, campaign, agent, rule or platform that causes a change, in a request or in a job. Authors, origins, step changes
 * and the audit log derive from the actor.
 */
import type { Principal } from '../http/auth.ts';

/** The actor of a change; `id` is the id of the agent, campaign, follow-up or rule itself, or of the inbox that is away or asks for a rating. */
export type Actor =
  | Principal
  | { type: 'agent' | 'campaign' | 'followup' | 'rule' | 'away' | 'csat'; id: string; name: string }
  | { type: 'system'; id: null; name: string };

const ORIGINS = {
  user: 'DASHBOARD',
  company: 'API',
  global: 'API',
  agent: 'AGENT',
  campaign: 'CAMPAIGN',
  followup: 'FOLLOWUP',
  rule: 'RULE',
  away: 'AWAY',
  csat: 'CSAT',
  system: null,
} as const satisfies Record<Actor['type'], string | null>;

export type ActorOrigin = (typeof ORIGINS)[Actor['type']];

/** Returns the origin of a change as the API names it; null for changes of the platform itself. */
export const actorOrigin = ({ type }: Actor): ActorOrigin => ORIGINS[type];

export const NAMED_ACTORS = ['USER', 'KEY', 'AGENT', 'CAMPAIGN', 'FOLLOWUP', 'RULE'] as const;

/** An actor as the history of a conversation names it. */
export interface NamedActor {
  type: (typeof NAMED_ACTORS)[number];
  id: string;
  name: string;
}

const NAMED_TYPES = {
  user: 'USER',
  company: 'KEY',
  global: 'KEY',
  agent: 'AGENT',
  campaign: 'CAMPAIGN',
  followup: 'FOLLOWUP',
  rule: 'RULE',
} as const satisfies Partial<Record<Actor['type'], NamedActor['type']>>;

/** Returns the actor with the name that people know; null for the platform itself, and for what inboxes send by themselves, which changes nothing. */
export const toNamedActor = (actor: Actor): NamedActor | null =>
  actor.type === 'system' || actor.type === 'away' || actor.type === 'csat'
    ? null
    : { type: NAMED_TYPES[actor.type], id: actor.id, name: actor.name };
