import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { operation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createLive, sayPresence, type Live } from './live.ts';
import { createTypingIndicators } from './typing.ts';
import { LIVE_ANSWER, LiveQuery, Presence, PresenceChange, PresenceParams } from './schemas.ts';

/** Returns the streams, which visitors of web chats share. */
export function liveRoutes(app: FastifyInstance, kit: Kit): Live {
  declareTag('live', 'Changes, as they happen');
  const live = createLive(kit);
  app.addHook('onClose', live.stop);
  const typing = createTypingIndicators(kit);
  app.addHook('onClose', typing.stop);
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/live',
    scope: null,
    summary: 'Stream the changes in the company',
    description: WORDS,
    query: LiveQuery,
    answers: { 200: LIVE_ANSWER },
    handler: (tenant, { query, reply }) => {
      const last = reply.request.headers['last-event-id'];
      reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no');
      return live.open(tenant, query.after ?? (typeof last === 'string' && last !== '' ? last : undefined), reply);
    },
  });
  operation(app, kit.access, {
    method: 'POST',
    path: '/v1/conversations/:id/typing',
    scope: 'conversations:read',
    action: null,
    summary: "Show the company's other users that the caller views a conversation or types in it",
    description:
      'Nothing is stored. It arrives as the event `presence` of GET /v1/live. With TYPING from a caller who ' +
      'can send messages, the contact sees it as well, if the network supports it and a text could be sent; ' +
      "the contact's messages then count as read at the network.",
    params: PresenceParams,
    body: ref(PresenceChange),
    answers: { 201: ref(Presence) },
    handler: (tenant, { params, body }) => sayPresence({ kit, typing }, tenant, params.id, body),
  });
  return live;
}

const WORDS =
  'A stream of server-sent events. Each record that is created or changed arrives as an event with the ' +
  'record as its GET returns it, if the token can read such records. From `ready` on, no change is missed. ' +
  'A client that reconnects sends the id of the last event that it received, and first receives what has ' +
  'changed meanwhile. If that is too much or more than an hour ago, `reset` lists the records whose lists ' +
  'it has to read again. A record may arrive twice, but never in an older state than before. A change of a ' +
  'contact does not send its conversations and messages: update the `contact_summary` of those that you ' +
  'have.';
