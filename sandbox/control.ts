import type { IncomingMessage, ServerResponse } from 'node:http';
import { registerAccount } from './accounts.ts';
import { answer, asObject, asText, own, parseJson, readBody, writeAnswer, type Answer } from './exchange.ts';
import { escapeLikeMeta } from './envelope.ts';
import { writeInbound } from './inbound.ts';
import { openStream, publish } from './live.ts';
import { isLoopbackUrl } from './loopback.ts';
import { findMedia, mediaBytes } from './media.ts';
import { onlyDigits, withoutNinthDigit } from './messages.ts';
import { seededRandom, type PostResult } from './notification-queue.ts';
import { postBody, verifyCallback } from './notifier.ts';
import { createReceiver, setBehaviour } from './receiver.ts';
import { since } from './ring.ts';
import { changeSettings } from './settings.ts';
import { resetSandbox, type Sandbox } from './state.ts';
import { putTemplate } from './templates.ts';

type Call = { sandbox: Sandbox; query: URLSearchParams; body: unknown };
type Operation = (call: Call) => Answer | Promise<Answer>;

const OPERATIONS: Record<string, Operation> = {
  'GET settings': ({ sandbox }) => answer(sandbox.graph.settings),
  'PUT settings': putSettings,
  'GET accounts': ({ sandbox }) =>
    answer({ accounts: [...sandbox.graph.accounts.byPhone.values()], open: sandbox.graph.accounts.open }),
  'POST accounts': ({ sandbox, body }) => orProblem(registerAccount(sandbox.graph.accounts, asObject(body)), 201),
  'POST templates': ({ sandbox, body }) => {
    const { waba_id, ...template } = asObject(body);
    return orProblem(putTemplate(sandbox.graph.catalogue, asText(waba_id) ?? '200000000000001', template), 201);
  },
  'POST inbound': async ({ sandbox, body }) => orProblem(await writeInbound(sandbox, asObject(body)), 200),
  'POST notify': postNotification,
  'POST verify': verify,
  'GET messages': listMessages,
  'GET conversation': listConversation,
  'GET deliveries': listDeliveries,
  'GET deliveries/stats': ({ sandbox: { receiver } }) =>
    answer({
      count: receiver.count,
      by_event: Object.fromEntries(receiver.byEvent),
      duplicates: receiver.duplicates,
    }),
  'DELETE deliveries': clearDeliveries,
  'GET receiver': ({ sandbox }) => answer(sandbox.receiver.behaviour),
  'PUT receiver': ({ sandbox, body }) => orProblem(setBehaviour(sandbox.receiver, body), 200),
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

const problem = (error: string, status = 400): Answer => answer({ error }, status);

const orProblem = (result: object | string, status: number): Answer =>
  typeof result === 'string' ? problem(result) : answer(result, status);

/** Answers `/sandbox/...`, the API with which tests and pages control the sandbox. */
export async function handleControl(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '/', 'http://sandbox');
  const name = url.pathname.slice('/sandbox/'.length).replace(/\/$/, '');
  if (req.method === 'GET' && name === 'live')
    return openStream(sandbox.listeners, res, url.searchParams.get('topic') ?? 'messages');
  if (req.method === 'GET' && name.startsWith('media/')) {
    const media = findMedia(sandbox.graph.media, name.slice('media/'.length));
    return writeAnswer(res, media === undefined ? problem('There is no such file.', 404) : mediaBytes(media));
  }
  const operation = own(OPERATIONS, `${req.method} ${name}`);
  const bytes = await readBody(req, BODY_MAX_BYTES);
  if (operation === undefined)
    return writeAnswer(res, problem('There is no such operation; see sandbox/README.md.', 404));
  const body = bytes?.length === 0 ? {} : parseJson(bytes);
  if (body === undefined) return writeAnswer(res, problem('The body is not JSON, or too large.'));
  writeAnswer(res, await operation({ sandbox, query: url.searchParams, body }));
}

function putSettings({ sandbox, body }: Call): Answer {
  const next = changeSettings(sandbox.graph.settings, body);
  if (typeof next === 'string') return problem(next);
  sandbox.graph.settings = next;
  sandbox.graph.notifier.random = seededRandom(next.seed);
  return answer(next);
}

/** Signs and posts any body: an object with the network's escaping, a string byte for byte. */
async function postNotification({ sandbox, body }: Call): Promise<Answer> {
  const given = asObject(body);
  const target = asText(given['url']) ?? sandbox.graph.settings.callback_url;
  if (target !== null && !isLoopbackUrl(target)) return problem('The address must be a loopback one.');
  if (given['body'] === undefined) return problem('The field body is required.');
  const text = asText(given['body']) ?? escapeLikeMeta(given['body']);
  const result = await new Promise<PostResult>((resolve) => {
    postBody(sandbox, target, Buffer.from(text), resolve);
  });
  return answer(result);
}

/** Verifies the callback with the same handshake as the network. */
async function verify({ sandbox, body }: Call): Promise<Answer> {
  const target = asText(asObject(body)['url']) ?? sandbox.graph.settings.callback_url;
  if (target === null) return problem('There is no callback_url.');
  if (!isLoopbackUrl(target)) return problem('The address must be a loopback one.');
  return answer({ verified: await verifyCallback(sandbox, target, sandbox.config.verifyToken) });
}

/** All messages sent through the sandbox, oldest first. `phone` is the sender's phone number id or the recipient's number. */
function listMessages({ sandbox, query }: Call): Answer {
  const phone = query.get('phone');
  const after = numberIn(query, 'after', 0);
  const found = since(sandbox.graph.sent, after)
    .filter((item) => phone === null || item.phone_number_id === phone || samePerson(item.wa_id || item.to, phone))
    .slice(0, numberIn(query, 'limit', Infinity));
  return answer({ messages: found, next_after: found.at(-1)?.seq ?? after });
}

/** The messages of one conversation in both directions, in order, for the phone page. */
function listConversation({ sandbox, query }: Call): Answer {
  const phoneNumberId = query.get('phone_number_id') ?? '';
  const contact = query.get('contact') ?? '';
  const sent = since(sandbox.graph.sent, 0)
    .filter((item) => item.phone_number_id === phoneNumberId && samePerson(item.wa_id || item.to, contact))
    .map((item) => ({ direction: 'in', ...item }));
  const written = since(sandbox.graph.inbound, 0)
    .filter((item) => item.phone_number_id === phoneNumberId && samePerson(item.from, contact))
    .map((item) => ({ direction: 'out', ...item }));
  const items = [...sent, ...written].toSorted((a, b) => a.created_at.localeCompare(b.created_at));
  return answer({ items: items.slice(-500) });
}

const samePerson = (a: string, b: string): boolean =>
  a === b || (onlyDigits(b) !== '' && withoutNinthDigit(a) === withoutNinthDigit(onlyDigits(b)));

function listDeliveries({ sandbox, query }: Call): Answer {
  const event = query.get('event');
  const path = query.get('path');
  const after = numberIn(query, 'after', 0);
  const found = since(sandbox.receiver.deliveries, after)
    .filter((item) => (event === null || item.event === event) && (path === null || item.path.startsWith(path)))
    .slice(0, numberIn(query, 'limit', Infinity));
  return answer({ deliveries: found, next_after: found.at(-1)?.seq ?? after });
}

function clearDeliveries({ sandbox }: Call): Answer {
  const { behaviour } = sandbox.receiver;
  sandbox.receiver = { ...createReceiver(sandbox.receiver), behaviour };
  return answer({ cleared: true });
}

function numberIn(query: URLSearchParams, name: string, fallback: number): number {
  const value = Number(query.get(name) ?? fallback);
  return Number.isNaN(value) || value < 0 ? fallback : value;
}
