import type { IncomingMessage, ServerResponse } from 'node:http';
import { registerAccount } from './accounts.ts';
import { answer, toObject, toText, getOwnProperty, parseJson, readBody, writeAnswer, type Answer } from './exchange.ts';
import { escapeLikeMeta } from './envelope.ts';
import { GATEWAY_OPERATIONS } from './gateway/control.ts';
import { readHistory } from './history.ts';
import { writeInbound } from './inbound.ts';
import { openStream, publish } from './live.ts';
import { isLoopbackUrl } from './loopback.ts';
import { MAIL_OPERATIONS } from './mail/control.ts';
import { deleteMedia, findMedia, answerMediaBytes } from './media.ts';
import { isSamePerson } from './messages.ts';
import { NETWORK_OPERATIONS } from './network/control.ts';
import { seededRandom, type PostResult } from './notification-queue.ts';
import { postBody, verifyCallback } from './notifier.ts';
import { PHONE_OPERATIONS } from './phone/control.ts';
import { listConversation } from './phone/whatsapp.ts';
import { createReceiver, setBehaviour } from './receiver.ts';
import { listSince } from './ring.ts';
import { changeSettings } from './settings.ts';
import { changeStanding } from './standing.ts';
import { resetSandbox, type Sandbox } from './state.ts';
import { notifyTemplate } from './template-news.ts';
import { changeTemplate, putTemplate } from './templates.ts';

type ControlCall = { sandbox: Sandbox; query: URLSearchParams; body: unknown };
type ControlOperation = (call: ControlCall) => Answer | Promise<Answer>;

const OPERATIONS: Record<string, ControlOperation> = {
  ...GATEWAY_OPERATIONS,
  ...NETWORK_OPERATIONS,
  ...MAIL_OPERATIONS,
  ...PHONE_OPERATIONS,
  'GET settings': ({ sandbox }) => answer(sandbox.graph.settings),
  'PUT settings': putSettings,
  'GET accounts': ({ sandbox }) =>
    answer({
      accounts: [...sandbox.graph.accounts.byPhone.values()],
      open: sandbox.graph.accounts.open,
      synced: Object.fromEntries(sandbox.graph.accounts.synced),
    }),
  'POST accounts': ({ sandbox, body }) => answerOrProblem(registerAccount(sandbox.graph.accounts, toObject(body)), 201),
  'PATCH accounts': ({ sandbox, body }) => answerOrProblem(changeStanding(sandbox, toObject(body)), 200),
  'POST templates': ({ sandbox, body }) => {
    const { waba_id, ...template } = toObject(body);
    return answerOrProblem(putTemplate(sandbox.graph.catalogue, toText(waba_id) ?? '200000000000001', template), 201);
  },
  'PATCH templates': ({ sandbox, body }) => {
    const change = toObject(body);
    const wabaId = toText(change['waba_id']) ?? '200000000000001';
    const changed = changeTemplate(sandbox.graph.catalogue, wabaId, change);
    if (typeof changed !== 'string' && change['notify'] === true) notifyTemplate(sandbox, wabaId, changed, change);
    return answerOrProblem(changed, 200);
  },
  'DELETE media': ({ sandbox, query }) => {
    const media = findMedia(sandbox.graph.media, query.get('id') ?? '');
    return media === undefined ? makeProblem('There is no such file.', 404) : deleteMedia(sandbox.graph.media, media);
  },
  'POST inbound': async ({ sandbox, body }) => answerOrProblem(await writeInbound(sandbox, toObject(body)), 200),
  'POST notify': postNotification,
  'POST verify': verifyCallbackUrl,
  'GET messages': listMessages,
  'GET conversation': ({ sandbox, query }) =>
    answer({
      items: listConversation(sandbox, query.get('phone_number_id') ?? '', query.get('contact') ?? ''),
    }),
  'PUT history': putHistory,
  'GET deliveries': listDeliveries,
  'GET deliveries/stats': ({ sandbox: { receiver } }) =>
    answer({
      count: receiver.count,
      by_event: Object.fromEntries(receiver.byEvent),
      duplicates: receiver.duplicates,
    }),
  'DELETE deliveries': clearDeliveries,
  'GET receiver': ({ sandbox }) => answer(sandbox.receiver.behaviour),
  'PUT receiver': ({ sandbox, body }) => answerOrProblem(setBehaviour(sandbox.receiver, body), 200),
  'GET stats': ({ sandbox }) => {
    const { queue, head, active } = sandbox.graph.notifier;
    return answer({ ...sandbox.graph.stats, notifications_waiting: queue.length - head + active });
  },
  'POST reset': ({ sandbox }) => {
    resetSandbox(sandbox);
    publish(sandbox.listeners, 'messages', 'reset', {});
    publish(sandbox.listeners, 'deliveries', 'reset', {});
    return answer({ reset: true });
  },
};

// The largest request is a base64 file for an inbound message.
const BODY_MAX_BYTES = 150 * 1_048_576;

const makeProblem = (error: string, status = 400): Answer => answer({ error }, status);

const answerOrProblem = (result: object | string, status: number): Answer =>
  typeof result === 'string' ? makeProblem(result) : answer(result, status);

/** Answers `/sandbox/...`, the API with which tests and pages control the sandbox. */
export async function handleControl(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://sandbox');
  const name = url.pathname.slice('/sandbox/'.length).replace(/\/$/, '');
  if (req.method === 'GET' && name === 'live')
    return openStream(sandbox.listeners, res, url.searchParams.get('topic') ?? 'messages');
  if (req.method === 'GET' && name.startsWith('media/')) {
    const media = findMedia(sandbox.graph.media, name.slice('media/'.length));
    return writeAnswer(res, media === undefined ? makeProblem('There is no such file.', 404) : answerMediaBytes(media));
  }
  const operation = getOwnProperty(OPERATIONS, `${req.method} ${name}`);
  const bytes = await readBody(req, BODY_MAX_BYTES);
  if (operation === undefined)
    return writeAnswer(res, makeProblem('There is no such operation; see sandbox/README.md.', 404));
  const body = bytes?.length === 0 ? {} : parseJson(bytes);
  if (body === undefined) return writeAnswer(res, makeProblem('The body is not JSON, or too large.'));
  writeAnswer(res, await operation({ sandbox, query: url.searchParams, body }));
}

function putSettings({ sandbox, body }: ControlCall): Answer {
  const next = changeSettings(sandbox.graph.settings, body);
  if (typeof next === 'string') return makeProblem(next);
  sandbox.graph.settings = next;
  sandbox.graph.notifier.random = seededRandom(next.seed);
  return answer(next);
}

/** Signs and posts any body: an object with the network's escaping, a string byte for byte. */
async function postNotification({ sandbox, body }: ControlCall): Promise<Answer> {
  const given = toObject(body);
  const target = toText(given['url']) ?? sandbox.graph.settings.callback_url;
  if (target !== null && !isLoopbackUrl(target)) return makeProblem('The address must be a loopback one.');
  if (given['body'] === undefined) return makeProblem('The field body is required.');
  const text = toText(given['body']) ?? escapeLikeMeta(given['body']);
  const result = await new Promise<PostResult>((resolve) => {
    postBody(sandbox, target, Buffer.from(text), resolve);
  });
  return answer(result);
}

/** Verifies the callback address with the same handshake as the network. */
async function verifyCallbackUrl({ sandbox, body }: ControlCall): Promise<Answer> {
  const target = toText(toObject(body)['url']) ?? sandbox.graph.settings.callback_url;
  if (target === null) return makeProblem('There is no callback_url.');
  if (!isLoopbackUrl(target)) return makeProblem('The address must be a loopback one.');
  return answer({ verified: await verifyCallback(sandbox, target, sandbox.config.verifyToken) });
}

/** Lists all messages that were sent through the sandbox, oldest first. `phone` is the sender's phone number id or the recipient's number. */
function listMessages({ sandbox, query }: ControlCall): Answer {
  const phone = query.get('phone');
  const after = readNumber(query, 'after', 0);
  const found = listSince(sandbox.graph.sent, after)
    .filter((item) => phone === null || item.phone_number_id === phone || isSamePerson(item.wa_id || item.to, phone))
    .slice(0, readNumber(query, 'limit', Infinity));
  return answer({ messages: found, next_after: found.at(-1)?.seq ?? after });
}

/** Takes what the phones of a number showed before the sandbox was started, in place of what it was given before. */
function putHistory({ sandbox, body }: ControlCall): Answer {
  const given = readHistory(toObject(body));
  if (typeof given === 'string') return makeProblem(given);
  sandbox.graph.history = given;
  publish(sandbox.listeners, 'messages', 'reset', {});
  return answer({ messages: given.length });
}

function listDeliveries({ sandbox, query }: ControlCall): Answer {
  const event = query.get('event');
  const path = query.get('path');
  const after = readNumber(query, 'after', 0);
  const found = listSince(sandbox.receiver.deliveries, after)
    .filter((item) => (event === null || item.event === event) && (path === null || item.path.startsWith(path)))
    .slice(0, readNumber(query, 'limit', Infinity));
  return answer({ deliveries: found, next_after: found.at(-1)?.seq ?? after });
}

function clearDeliveries({ sandbox }: ControlCall): Answer {
  const { behaviour } = sandbox.receiver;
  sandbox.receiver = { ...createReceiver(sandbox.receiver), behaviour };
  return answer({ cleared: true });
}

function readNumber(query: URLSearchParams, name: string, fallback: number): number {
  const value = Number(query.get(name) ?? fallback);
  return Number.isNaN(value) || value < 0 ? fallback : value;
}
