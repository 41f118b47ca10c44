/** Whoever causes a change, in a request or in a job. Authors, origins, step changes and the audit log derive from the actor. */
import type { Principal } from './auth.ts';

/** `id` is that of the agent, campaign or follow-up itself. */
export type Actor =
  | Principal
  | { type: 'agent' | 'campaign' | 'followup'; id: string; name: string }
  | { type: 'system'; id: null; name: string };

const ORIGINS = {
  user: 'DASHBOARD',
  company: 'API',
  global: 'API',
  agent: 'AGENT',
  campaign: 'CAMPAIGN',
  followup: 'FOLLOWUP',
  system: null,
} as const satisfies Record<Actor['type'], string | null>;

export type ActorOrigin = (typeof ORIGINS)[Actor['type']];

/** The word of the API for where a change comes from. Null for the platform's own changes. */
export const readOrigin = ({ type }: Actor): ActorOrigin => ORIGINS[type];
