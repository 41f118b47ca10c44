/** A fake server of Unipile, version 1, with LinkedIn behind it: below `/network/api/v1`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { answer, parseJson, readBody, toObject, toText, writeAnswer, type Answer, type Json } from '../exchange.ts';
import { applyFault, takeFault } from '../faults.ts';
import type { Fault } from '../settings.ts';
import type { Sandbox } from '../state.ts';
import { describeReaction, postEvent } from './events.ts';
import { refuse } from './refuse.ts';
import { sendIn, startChat } from './send.ts';
import { showMessage as showOnPages, showReactions } from './shown.ts';
import { findProfile, keepCall, makeId, NETWORK_API_KEY, type Account, type Webhook } from './state.ts';

const BODY_MAX_BYTES = 64 * 1_048_576;

type Call = { sandbox: Sandbox; ids: string[]; query: URLSearchParams; body: Json; form: FormData | null };
type Operation = (call: Call) => Answer | Promise<Answer>;

const missing = (): Answer => refuse(404, 'resource_not_found', 'The requested resource were not found.');

/** The operations, with the place at which a fault is set. A word in braces is an id. */
const OPERATIONS: { call: string; place: string; run: Operation }[] = [
  { call: 'GET accounts/{}', place: 'accounts', run: showAccount },
  { call: 'GET users/{}', place: 'users', run: showUser },
  { call: 'POST chats', place: 'chats', run: ({ sandbox, form }) => startChat(sandbox, form) },
  {
    call: 'POST chats/{}/messages',
    place: 'messages',
    run: ({ sandbox, ids: [id = ''], form }) => sendIn(sandbox, sandbox.network.chats.get(id), form),
  },
  { call: 'PATCH chats/{}', place: 'read', run: readChat },
  { call: 'POST messages/{}/reaction', place: 'reaction', run: react },
  { call: 'GET messages/{}', place: 'message', run: showMessage },
  { call: 'GET messages/{}/attachments/{}', place: 'attachments', run: showFile },
  { call: 'GET webhooks', place: 'webhooks', run: listWebhooks },
  { call: 'POST webhooks', place: 'webhooks', run: addWebhook },
  { call: 'DELETE webhooks/{}', place: 'webhooks', run: removeWebhook },
  { call: 'POST hosted/accounts/link', place: 'link', run: makeLink },
];

const toPattern = (call: string): RegExp => new RegExp(`^${call.replaceAll('{}', '([^/]+)')}$`);
const PATTERNS = OPERATIONS.map((operation) => ({ ...operation, pattern: toPattern(operation.call) }));

export async function handleNetwork(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = '', search = ''] = (req.url ?? '').split('?', 2);
  const bytes = await readBody(req, BODY_MAX_BYTES);
  if (req.headers['x-api-key'] !== NETWORK_API_KEY)
    return writeAnswer(res, refuse(401, 'missing_credentials', 'The key is missing or wrong.'));
  const asked = `${req.method} ${path.replace(/^\/network\/api\/v1\//, '')}`;
  const operation = PATTERNS.find(({ pattern }) => pattern.test(asked));
  if (!operation) return writeAnswer(res, missing());
  const fault = takeFault(sandbox.network.settings.faults, operation.place);
  const isLate = fault !== undefined && 'kind' in fault && fault.kind.endsWith('_after_accept');
  if (fault !== undefined && !isLate && (await meetFault(fault, res))) return;
  const call = await readCall(req, bytes);
  const ids = [...(operation.pattern.exec(asked) ?? [])].slice(1).map(decodeURIComponent);
  const query = new URLSearchParams(search);
  keepCall(sandbox.network, { call: asked, query: Object.fromEntries(query), body: call.body });
  const done = await operation.run({ sandbox, ids, query, ...call });
  if (isLate && (await meetFault(fault, res))) return;
  writeAnswer(res, done);
}

/** A fault with a code is a refusal with this HTTP status; its message is the type of the error. */
async function meetFault(fault: Fault, res: ServerResponse): Promise<boolean> {
  if (!('code' in fault)) return applyFault(fault, res);
  writeAnswer(
    res,
    refuse(fault.http_status ?? fault.code, fault.message ?? 'unexpected_error', 'A fault that was set.'),
  );
  return true;
}

/** Reads a body of JSON or a form. Of a file the call shows its name, type and size. */
async function readCall(req: IncomingMessage, bytes: Buffer | null): Promise<{ body: Json; form: FormData | null }> {
  const contentType = req.headers['content-type'] ?? '';
  if (!contentType.startsWith('multipart/')) return { body: toObject(parseJson(bytes)), form: null };
  const headers = { 'content-type': contentType };
  const form = await new Response(bytes === null ? null : new Uint8Array(bytes), { headers }).formData();
  const shown = [...form].map(([name, value]) => [
    name,
    typeof value === 'string' ? value : { name: value.name, type: value.type, size: value.size },
  ]);
  return { body: Object.fromEntries(shown) as Json, form };
}

const describeAccount = ({ id, name, public_identifier, provider_id, status, created_at }: Account): Json => ({
  object: 'Account',
  type: 'LINKEDIN',
  id,
  name,
  created_at,
  connection_params: { im: { id: provider_id, publicIdentifier: public_identifier, username: name } },
  sources: [{ id: `${id}_MESSAGING`, status }],
});

function showAccount({ sandbox, ids: [id = ''] }: Call): Answer {
  const account = sandbox.network.accounts.get(id);
  return account ? answer(describeAccount(account)) : missing();
}

function showUser({ sandbox, ids: [name = ''], query }: Call): Answer {
  if (!sandbox.network.accounts.has(query.get('account_id') ?? ''))
    return refuse(422, 'invalid_parameters', 'There is no such account.');
  const profile = findProfile(sandbox.network, name);
  if (!profile) return refuse(422, 'invalid_recipient', 'Recipient cannot be reached.');
  return answer({ object: 'UserProfile', provider: 'LINKEDIN', ...profile });
}

function readChat({ sandbox, ids: [id = ''], body }: Call): Answer {
  if (!sandbox.network.chats.has(id) || body['action'] !== 'setReadStatus') return missing();
  for (const message of sandbox.network.messages.values()) {
    if (message.chat.id !== id || message.is_sender || message.read) continue;
    message.read = true;
    showOnPages(sandbox, message);
  }
  return answer({ object: 'ChatPatched' });
}

/** A reaction cannot be taken back, and is reported like one of the person. */
async function react({ sandbox, ids: [id = ''], body }: Call): Promise<Answer> {
  const message = sandbox.network.messages.get(id);
  const account = message && sandbox.network.accounts.get(message.chat.account_id);
  const emoji = toText(body['reaction']);
  if (!message || !account) return missing();
  if (!emoji) return refuse(400, 'invalid_parameters', 'A reaction is an emoji.');
  message.ownReaction = emoji;
  showReactions(sandbox, message);
  const told = postEvent(sandbox, 'messaging', describeReaction(account, message, account));
  if (sandbox.network.settings.echo_first) await told;
  else void told;
  return answer({ object: 'MessageReactionAdded', success: true }, 201);
}

function showMessage({ sandbox, ids: [id = ''] }: Call): Answer {
  const message = sandbox.network.messages.get(id);
  if (!message) return missing();
  const { chat, text, is_sender, timestamp, files } = message;
  return answer({
    object: 'Message',
    id,
    account_id: chat.account_id,
    chat_id: chat.id,
    text,
    timestamp,
    is_sender: is_sender ? 1 : 0,
    attachments: files.map(({ id: file, type, mimetype, file_name }) => ({ id: file, type, mimetype, file_name })),
  });
}

function showFile({ sandbox, ids: [id = '', fileId = ''] }: Call): Answer {
  const file = sandbox.network.messages.get(id)?.files.find((each) => each.id === fileId);
  return file ? { status: 200, body: file.bytes, headers: { 'content-type': file.mimetype } } : missing();
}

function listWebhooks({ sandbox }: Call): Answer {
  return answer({ object: 'WebhookList', items: [...sandbox.network.webhooks.values()], cursor: null });
}

function addWebhook({ sandbox, body }: Call): Answer {
  const [url, source] = [toText(body['request_url']), toText(body['source'])];
  if (!url || !source) return refuse(400, 'invalid_parameters', 'request_url and source are required.');
  const id = makeId(sandbox.network, 'we');
  sandbox.network.webhooks.set(id, {
    id,
    name: toText(body['name']) ?? '',
    request_url: url,
    source,
    events: Array.isArray(body['events']) ? body['events'].map(String) : null,
    headers: (body['headers'] ?? []) as Webhook['headers'],
    account_ids: Array.isArray(body['account_ids']) ? body['account_ids'].map(String) : null,
  });
  return answer({ object: 'WebhookCreated', webhook_id: id }, 201);
}

function removeWebhook({ sandbox, ids: [id = ''] }: Call): Answer {
  return sandbox.network.webhooks.delete(id) ? answer({ object: 'WebhookDeleted' }) : missing();
}

function makeLink({ sandbox, body }: Call): Answer {
  const account = toText(body['reconnect_account']) ?? null;
  if (account !== null && !sandbox.network.accounts.has(account)) return missing();
  const id = makeId(sandbox.network, 'link');
  const [name = '', notifyUrl = ''] = [toText(body['name']), toText(body['notify_url'])];
  sandbox.network.logIns.set(id, { id, type: String(body['type']), name, notify_url: notifyUrl, account });
  return answer({ object: 'HostedAuthUrl', url: `${sandbox.url}/network/log-in/${id}` }, 201);
}
