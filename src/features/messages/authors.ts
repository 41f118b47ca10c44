/** The fields of a message that name its author. */
import { actorOrigin, type Actor } from '../../platform/values/actor.ts';
import type { NewOutgoing } from './insert-queries.ts';

type Author = Pick<NewOutgoing, 'sender_type' | 'sender' | 'origin' | 'campaign' | 'agent'>;

/** Actors whose messages name no sender. */
const NAMELESS: ReadonlySet<Actor['type']> = new Set(['campaign', 'followup', 'rule', 'away', 'csat']);

/**
 * Returns the author fields of an actor. A user writes as USER. A key, an agent, a campaign, a follow-up, a rule and an inbox automate
 * the work of the company and write as AGENT.
 */
export function readAuthor(actor: Actor): Author {
  const origin = actorOrigin(actor);
  if (origin === null) throw new Error('the platform itself sends no message');
  const { type, id } = actor;
  return {
    sender_type: type === 'user' ? 'USER' : 'AGENT',
    sender: NAMELESS.has(type) ? null : id,
    origin,
    campaign: type === 'campaign' ? id : null,
    agent: type === 'agent' ? id : null,
  };
}
