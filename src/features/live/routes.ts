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
  declareTag('live', 'What changes, as it changes');
  const live = createLive(kit);
  app.addHook('onClose', live.stop);
  const typing = createTypingIndicators(kit);
  app.addHook('onClose', typing.stop);
  operation(app, kit.access, {
    method: 'GET',
    path: '/v1/live',
    scope: null,
    summary: 'Follow what changes in the company',
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
    summary: 'Show to others who watch the company that the caller views a conversation or types there',
    description:
      'Nothing is stored. It arrives as the event `presence` of GET /v1/live. With TYPING from a caller who may send messages, the contact sees it as well, where the network can show it and a text could be sent; there the messages of the contact then count as read.',
    params: PresenceParams,
    body: ref(PresenceChange),
    answers: { 201: ref(Presence) },
    handler: (tenant, { params, body }) => sayPresence({ kit, typing }, tenant, params.id, body),
  });
  return live;
}

const WORDS =
  `A stream of server-sent events. Each record that is created or changed arrives as an event with the record as its GET answers it,
  if the token may read such records. \`ready\` says that from here on nothing is missed. A client that was away goes on with the id of the
  last event that it received, and first receives what has changed meanwhile; when that was too much or more than an hour ago, \`reset\` names the
  records whose lists it has to read anew. A record may arrive twice, and its state is never older than the one before. A change of a contact does
  not send its conversations and messages: a client renews the \`contact_summary\` of those that it has.`.replaceAll(
    /\s+/g,
    ' ',
  );
