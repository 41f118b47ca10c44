import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Kit } from '../../kit.ts';
import { hangUpSignal } from '../../platform/http/hang-up.ts';
import { listMessages, reportReceipts, showTyping } from './chat.ts';
import { siteOperation, visitorOperation } from './operations.ts';
import { describeSite } from './description.ts';
import { MOST_FILE, sendFile } from './files.ts';
import { addChatPages } from './page.ts';
import {
  Done,
  Receipts,
  SendFile,
  SessionStart,
  Typing,
  UnreadCount,
  VISITOR_EVENTS,
  WebMessage,
  WebMessages,
  WebMessagesQuery,
  WebSession,
  WebSite,
  WriteMessage,
} from './schemas.ts';
import { startSession } from './session.ts';
import type { WebChatServices } from './services.ts';
import { createVisitorStreams } from './streams.ts';
import { writeText, type Written } from './write.ts';
import { declareLimit } from '../../platform/values/limits.ts';

const MESSAGE_RATE = [
  declareLimit(1, { topic: 'Web chat', what: 'Messages per visitor', unit: 'perSecond', beyond: '429' }),
  declareLimit(20, { topic: 'Web chat', what: 'Messages per visitor: in a row', beyond: '429' }),
] as const;
const FILE_RATE = [
  declareLimit(0.1, { topic: 'Web chat', what: 'Files per visitor', unit: 'perSecond', beyond: '429' }),
  declareLimit(10, { topic: 'Web chat', what: 'Files per visitor: in a row', beyond: '429' }),
] as const;

export function webChatRoutes(app: FastifyInstance, kit: Kit, services: WebChatServices): void {
  siteOperation(app, kit, {
    method: 'GET',
    path: '',
    answers: { 200: WebSite },
    handler: (site) => describeSite(kit, site),
  });
  siteOperation(app, kit, {
    method: 'POST',
    path: '/session',
    body: SessionStart,
    answers: { 201: WebSession },
    handler: (site, { body, reply }) =>
      startSession(kit, site, { authorization: reply.request.headers.authorization, body }),
  });
  readingRoutes(app, kit, services);
  writingRoutes(app, kit, services);
  addChatPages(app, kit);
}

function readingRoutes(app: FastifyInstance, kit: Kit, { intake, live }: WebChatServices): void {
  const streams = createVisitorStreams(kit, live);
  app.addHook('onClose', async () => streams.stop());
  visitorOperation(app, kit, {
    method: 'GET',
    path: '/messages',
    query: WebMessagesQuery,
    answers: { 200: WebMessages },
    handler: (visit, { query }) => listMessages(kit, visit, query),
  });
  visitorOperation(app, kit, {
    method: 'POST',
    path: '/receipts',
    body: Receipts,
    answers: { 200: UnreadCount },
    handler: (visit, { body }) => reportReceipts(kit, intake, visit, body),
  });
  visitorOperation(app, kit, {
    method: 'GET',
    path: '/live',
    rate: [0.5, 10],
    answers: { 200: VISITOR_EVENTS },
    handler: (visit, { reply }) => {
      reply
        .header('content-type', 'text/event-stream')
        .header('cache-control', 'no-store')
        .header('x-accel-buffering', 'no');
      return streams.open(visit, reply);
    },
  });
}

function writingRoutes(app: FastifyInstance, kit: Kit, { intake }: WebChatServices): void {
  visitorOperation(app, kit, {
    method: 'POST',
    path: '/messages',
    rate: MESSAGE_RATE,
    body: WriteMessage,
    answers: { 200: WebMessage, 201: WebMessage },
    handler: async (visit, { body, reply }) => answer(reply, await writeText(kit, intake, visit, body)),
  });
  visitorOperation(app, kit, {
    method: 'POST',
    path: '/files',
    rate: FILE_RATE,
    body: SendFile,
    form: MOST_FILE,
    answers: { 200: WebMessage, 201: WebMessage },
    handler: async (visit, { body, upload, reply }) =>
      answer(reply, await sendFile(kit, intake, visit, { upload, body, signal: hangUpSignal(reply) })),
  });
  visitorOperation(app, kit, {
    method: 'POST',
    path: '/typing',
    rate: [1, 10],
    body: Typing,
    answers: { 200: Done },
    handler: async (visit, { body }) => {
      await showTyping(kit, visit, body.state);
      return { ok: true };
    },
  });
}

function answer(reply: FastifyReply, { message, isNew }: Written): WebMessage {
  reply.code(isNew ? 201 : 200);
  return message;
}
