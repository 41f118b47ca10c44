import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { accountsOfWaba, findAccount, type Account } from './accounts.ts';
import { answer, asObject, asText, own, parseJson, pause, readBody, writeAnswer, type Answer } from './exchange.ts';
import { errorAnswer, unknownObject, type GraphFailure } from './graph-errors.ts';
import { deleteMedia, describeMedia, downloadMedia, findMedia, MEDIA_MAX_BYTES, uploadMedia } from './media.ts';
import { onlyDigits, postMessage } from './messages.ts';
import { configurePhone, describePhone, describeWaba, listPhones } from './phones.ts';
import { takeFault, type Fault, type FaultPlace } from './settings.ts';
import type { Sandbox } from './state.ts';
import { listSubscriptions, subscribe, unsubscribe } from './subscriptions.ts';
import { createTemplate, deleteTemplate, listTemplates } from './templates.ts';

/** One call of the Graph API, its path split into parts. */
type Call = {
  sandbox: Sandbox;
  req: IncomingMessage;
  method: string;
  path: string;
  id: string;
  edge: string;
  query: URLSearchParams;
  token: string;
};

type Edge = (call: Call) => Answer | Promise<Answer>;

const JSON_MAX_BYTES = 3 * 1_048_576;
// Leaves room for the multipart headers around the largest file.
const UPLOAD_MAX_BYTES = MEDIA_MAX_BYTES + 65_536;

const PHONE_EDGES: Record<string, (call: Call, account: Account) => Answer | Promise<Answer>> = {
  'POST messages': send,
  'POST marketing_messages': send,
  'POST media': async ({ sandbox, req }, account) =>
    uploadMedia(sandbox.graph.media, account, req.headers['content-type'] ?? '', await readBody(req, UPLOAD_MAX_BYTES)),
  'GET ': ({ sandbox, query }, account) => describePhone(sandbox, account, query.get('fields')),
  'POST ': async (call, account) => configurePhone(call.sandbox, account, await readJson(call)),
  'POST register': () => answer({ success: true }),
  'POST deregister': () => answer({ success: true }),
  'POST smb_app_data': () => answer({ messaging_product: 'whatsapp', request_id: String(Date.now()) }),
};

const WABA_EDGES: Record<string, Edge> = {
  'GET ': ({ id }) => describeWaba(id),
  'GET phone_numbers': ({ sandbox, id, query }) => listPhones(sandbox, id, query.get('fields')),
  'GET message_templates': ({ sandbox, id, path, query }) =>
    listTemplates(sandbox.graph.catalogue, id, sandbox.url + path, query),
  'POST message_templates': async (call) =>
    createTemplate(call.sandbox.graph.catalogue, call.id, asObject(await readJson(call))),
  'DELETE message_templates': ({ sandbox, id, query }) => deleteTemplate(sandbox.graph.catalogue, id, query),
  'GET subscribed_apps': ({ sandbox, id }) => listSubscriptions(sandbox, id),
  'POST subscribed_apps': async (call) => subscribe(call.sandbox, call.id, await readJson(call)),
  'DELETE subscribed_apps': ({ sandbox, id }) => unsubscribe(sandbox, id),
};

const PLACES: Record<string, FaultPlace> = {
  message_templates: 'templates',
  media: 'media',
  '': 'phone',
  subscribed_apps: 'subscribed_apps',
};

const readJson = async ({ req }: Call): Promise<unknown> => parseJson(await readBody(req, JSON_MAX_BYTES));

/** Answers one call to the Graph API, with or without `/vNN.N` before it. */
export async function handleGraph(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const call = readCall(sandbox, req);
  const isSend = call.method === 'POST' && (call.edge === 'messages' || call.edge === 'marketing_messages');
  if (isSend) return handleSend(call, res);
  const fault = takeFault(sandbox.graph.settings, own(PLACES, call.edge) ?? 'phone');
  if (fault !== undefined && (await applyFault(fault, res))) return;
  const done = await route(call);
  // The connection can be used again only after the rest of the request is read.
  req.resume();
  writeAnswer(res, done);
}

function readCall(sandbox: Sandbox, req: IncomingMessage): Call {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const parts = path.split('/');
  const first = /^v\d+\.\d+$/.test(parts[1] ?? '') ? 2 : 1;
  const bearer = /^(?:Bearer|OAuth) +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  return {
    sandbox,
    req,
    method: req.method ?? 'GET',
    path,
    id: parts[first] ?? '',
    edge: parts
      .slice(first + 1)
      .join('/')
      .replace(/\/$/, ''),
    query,
    token: bearer ?? query.get('access_token') ?? '',
  };
}

function route(call: Call): Answer | Promise<Answer> {
  const { sandbox, method, id, edge, query, path } = call;
  const refusal = checkToken(call);
  if (refusal !== undefined) return errorAnswer(refusal);
  if (path.startsWith('/whatsapp_business/attachments')) return downloadMedia(sandbox.graph.media, query);
  const media = edge === '' ? findMedia(sandbox.graph.media, id) : undefined;
  if (media !== undefined && method === 'GET') return describeMedia(sandbox.graph.media, media, sandbox.url);
  if (media !== undefined && method === 'DELETE') return deleteMedia(sandbox.graph.media, media);
  const wabaEdge = own(WABA_EDGES, `${method} ${edge}`);
  const isPhone = sandbox.graph.accounts.byPhone.has(id) || own(PHONE_EDGES, `${method} ${edge}`) !== undefined;
  if (wabaEdge !== undefined && (edge !== '' || !isPhone || isWaba(call))) {
    return isWaba(call) ? wabaEdge(call) : errorAnswer(unknownObject(method, id));
  }
  const account = ownAccount(call);
  const phoneEdge = own(PHONE_EDGES, `${method} ${edge}`);
  if (account === undefined || phoneEdge === undefined) return errorAnswer(unknownObject(method, id));
  return phoneEdge(call, account);
}

/** While the sandbox is open, an unknown id without an edge is taken for a phone number: `GET /{id}` exists for both. */
const isWaba = ({ sandbox, id, edge, token }: Call): boolean =>
  sandbox.graph.accounts.open
    ? edge !== ''
    : accountsOfWaba(sandbox.graph.accounts, id).some((account) => account.token === token);

function ownAccount({ sandbox, id, token }: Call): Account | undefined {
  const account = findAccount(sandbox.graph.accounts, id);
  return account !== undefined && (sandbox.graph.accounts.open || account.token === token) ? account : undefined;
}

function checkToken({ sandbox, token, query }: Call): GraphFailure | undefined {
  if (token === '') return { code: 104 };
  const { open, tokens } = sandbox.graph.accounts;
  if (!open && !tokens.has(token)) return { code: 190 };
  const proof = query.get('appsecret_proof');
  if (proof === null) return undefined;
  const expected = createHmac('sha256', sandbox.config.appSecret).update(token).digest();
  const given = Buffer.from(proof, 'hex');
  if (given.length === expected.length && timingSafeEqual(given, expected)) return undefined;
  return { code: 100, type: 'GraphMethodException', message: 'Invalid appsecret_proof provided in the API argument' };
}

async function send(call: Call, account: Account): Promise<Answer> {
  return postMessage(call.sandbox, account, await readBody(call.req, JSON_MAX_BYTES));
}

/** Benchmarks call this most: without a fault it reads, checks and answers once. */
async function handleSend(call: Call, res: ServerResponse): Promise<void> {
  const { sandbox, req } = call;
  const bytes = await readBody(req, JSON_MAX_BYTES);
  const fault = sandbox.graph.settings.faults.send.length === 0 ? undefined : takeSendFault(sandbox, bytes);
  if (fault !== undefined && !isAfterAccept(fault) && (await applyFault(fault, res))) return;
  const refusal = checkToken(call);
  const account = ownAccount(call);
  if (refusal !== undefined) return writeAnswer(res, errorAnswer(refusal));
  if (account === undefined) return writeAnswer(res, errorAnswer(unknownObject('POST', call.id)));
  const done = postMessage(sandbox, account, bytes);
  if (fault !== undefined && isAfterAccept(fault) && (await applyFault(fault, res))) return;
  writeAnswer(res, done);
}

/** Faults concern messages only; read receipts are not affected. */
function takeSendFault(sandbox: Sandbox, bytes: Buffer | null): Fault | undefined {
  const body = asObject(parseJson(bytes));
  if (body['status'] !== undefined) return undefined;
  return takeFault(sandbox.graph.settings, 'send', onlyDigits(asText(body['to']) ?? ''));
}

const isAfterAccept = (fault: Fault): boolean =>
  'kind' in fault && ['hang_after_accept', 'reset_after_accept', 'not_json'].includes(fault.kind);

/** Applies the fault. Returns true when the call has been answered or cut; a slow call continues after its wait. */
async function applyFault(fault: Fault, res: ServerResponse): Promise<boolean> {
  if ('code' in fault) {
    const { code, http_status, message } = fault;
    const failure = { code, ...(http_status === undefined ? {} : { httpStatus: http_status }) };
    writeAnswer(
      res,
      errorAnswer({
        ...failure,
        ...(message === undefined ? {} : { message }),
        details: message ?? 'A fault that was set.',
      }),
    );
    return true;
  }
  switch (fault.kind) {
    case 'slow':
      await pause(fault.ms ?? 1_000);
      return false;
    case 'reset':
    case 'reset_after_accept':
      res.socket?.resetAndDestroy();
      return true;
    case 'http_500':
      writeAnswer(res, {
        status: 500,
        body: Buffer.from('Service unavailable'),
        headers: { 'content-type': 'text/html' },
      });
      return true;
    case 'not_json':
      writeAnswer(res, { status: 200, body: Buffer.from('<html>'), headers: { 'content-type': 'text/html' } });
      return true;
    case 'hang':
    case 'hang_after_accept':
      return true;
  }
}
