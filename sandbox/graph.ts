import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listWabaAccounts, findAccount, type Account } from './accounts.ts';
import { answer, toObject, toText, getOwnProperty, parseJson, readBody, writeAnswer, type Answer } from './exchange.ts';
import { makeErrorAnswer, makeUnknownObjectFailure, type GraphFailure } from './graph-errors.ts';
import { handleDownload } from './download.ts';
import { applyFault } from './faults.ts';
import { deleteMedia, describeMedia, findMedia, MEDIA_MAX_BYTES, uploadMedia } from './media.ts';
import { onlyDigits, postMessage } from './messages.ts';
import { configurePhone, describePhone, describeWaba, listPhones } from './phones.ts';
import { requestSync } from './phone-sync.ts';
import { takeFault, type Fault, type FaultPlace } from './settings.ts';
import type { Sandbox } from './state.ts';
import { listSubscriptions, subscribe, unsubscribe } from './subscriptions.ts';
import { createTemplate, deleteTemplate, editTemplate, findOwnTemplate, listTemplates } from './templates.ts';

/** One call of the Graph API, its path split into parts. */
type GraphCall = {
  sandbox: Sandbox;
  req: IncomingMessage;
  method: string;
  path: string;
  id: string;
  edge: string;
  query: URLSearchParams;
  token: string;
};

type HandleEdge = (call: GraphCall) => Answer | Promise<Answer>;

const JSON_MAX_BYTES = 3 * 1_048_576;
// Larger than the largest file, to leave room for the multipart headers around it.
const UPLOAD_MAX_BYTES = MEDIA_MAX_BYTES + 65_536;

const PHONE_EDGES: Record<string, (call: GraphCall, account: Account) => Answer | Promise<Answer>> = {
  'POST messages': handleMessages,
  'POST marketing_messages': handleMessages,
  'POST media': async ({ sandbox: { graph }, req }, account) => {
    const bytes = await readBody(req, UPLOAD_MAX_BYTES);
    const uploaded = await uploadMedia(graph.media, account, req.headers['content-type'] ?? '', bytes);
    if (uploaded.status === 200) graph.stats.uploads += 1;
    return uploaded;
  },
  'GET ': ({ sandbox, query }, account) => describePhone(sandbox, account, query.get('fields')),
  'POST ': async (call, account) => configurePhone(call.sandbox, account, await readJson(call)),
  'POST register': () => answer({ success: true }),
  'POST deregister': () => answer({ success: true }),
  'POST smb_app_data': async (call, account) => requestSync(call.sandbox.graph.accounts, account, await readJson(call)),
};

const WABA_EDGES: Record<string, HandleEdge> = {
  'GET ': ({ id }) => describeWaba(id),
  'GET phone_numbers': ({ sandbox, id, query }) => listPhones(sandbox, id, query.get('fields')),
  'GET message_templates': ({ sandbox, id, path, query }) =>
    listTemplates(sandbox.graph.catalogue, id, sandbox.url + path, query),
  'POST message_templates': async (call) =>
    createTemplate(call.sandbox.graph.catalogue, call.id, toObject(await readJson(call))),
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
  smb_app_data: 'smb_app_data',
};

/**
 * Returns the place of the faults for a call. The call for a file's address and the call for a number's facts both have an id and no edge.
 */
function faultPlace(call: GraphCall): FaultPlace {
  const { sandbox, method, id, edge } = call;
  if (edge === '' && method === 'GET' && findMedia(sandbox.graph.media, id) !== undefined) return 'media_address';
  if (findEdited(call) !== undefined) return 'templates';
  return getOwnProperty(PLACES, edge) ?? 'phone';
}

const readJson = async ({ req }: GraphCall): Promise<unknown> => parseJson(await readBody(req, JSON_MAX_BYTES));

/** Answers one call to the Graph API, with or without `/vNN.N` before it. */
export async function handleGraph(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const call = readCall(sandbox, req);
  const isSend = call.method === 'POST' && (call.edge === 'messages' || call.edge === 'marketing_messages');
  if (isSend) return handleSend(call, res);
  if (call.id === 'whatsapp_business' && call.edge === 'attachments')
    return handleDownload(sandbox, { refusal: checkToken(call), query: call.query }, res);
  await answerCall(res, takeFault(sandbox.graph.settings, faultPlace(call)), async () => {
    const done = await routeCall(call);
    // The rest of the request is read and discarded, because the connection can be used again only after that.
    req.resume();
    return done;
  });
}

/** Does the work of a call and answers it, unless a fault prevents the work or the answer. */
async function answerCall(
  res: ServerResponse,
  fault: Fault | undefined,
  work: () => Answer | Promise<Answer>,
): Promise<void> {
  const isLate = fault !== undefined && appliesAfterWork(fault);
  if (fault !== undefined && !isLate && (await applyFault(fault, res))) return;
  const done = await work();
  if (isLate && (await applyFault(fault, res))) return;
  writeAnswer(res, done);
}

function readCall(sandbox: Sandbox, req: IncomingMessage): GraphCall {
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

function routeCall(call: GraphCall): Answer | Promise<Answer> {
  const { sandbox, method, id, edge } = call;
  const refusal = checkToken(call);
  if (refusal !== undefined) return makeErrorAnswer(refusal);
  const media = edge === '' ? findMedia(sandbox.graph.media, id) : undefined;
  if (media !== undefined && method === 'GET') return describeMedia(sandbox.graph.media, media, sandbox.url);
  if (media !== undefined && method === 'DELETE') return deleteMedia(sandbox.graph.media, media);
  const edited = findEdited(call);
  if (edited !== undefined)
    return readJson(call).then((body) => editTemplate(sandbox.graph.catalogue, edited, toObject(body)));
  const wabaEdge = getOwnProperty(WABA_EDGES, `${method} ${edge}`);
  const isPhone =
    sandbox.graph.accounts.byPhone.has(id) || getOwnProperty(PHONE_EDGES, `${method} ${edge}`) !== undefined;
  if (wabaEdge !== undefined && (edge !== '' || !isPhone || isWaba(call))) {
    return isWaba(call) ? wabaEdge(call) : makeErrorAnswer(makeUnknownObjectFailure(method, id));
  }
  const account = findOwnAccount(call);
  const phoneEdge = getOwnProperty(PHONE_EDGES, `${method} ${edge}`);
  if (account === undefined || phoneEdge === undefined) return makeErrorAnswer(makeUnknownObjectFailure(method, id));
  return phoneEdge(call, account);
}

/** The template that a call changes: one of a WABA to which its token belongs. */
function findEdited({ sandbox: { graph }, method, id, edge, token }: GraphCall): ReturnType<typeof findOwnTemplate> {
  if (method !== 'POST' || edge !== '') return undefined;
  const { byPhone, open } = graph.accounts;
  const own = open
    ? graph.catalogue.byWaba.keys()
    : byPhone
        .values()
        .filter((each) => each.token === token)
        .map((each) => each.waba_id);
  return findOwnTemplate(graph.catalogue, [...own], id);
}

/**
 * Returns whether the id is a WABA's. `GET /{id}` exists for a WABA and for a phone number; while the sandbox is open, an unknown id
 * without an edge counts as a phone number.
 */
const isWaba = ({ sandbox, id, edge, token }: GraphCall): boolean =>
  sandbox.graph.accounts.open
    ? edge !== ''
    : listWabaAccounts(sandbox.graph.accounts, id).some((account) => account.token === token);

function findOwnAccount({ sandbox, id, token }: GraphCall): Account | undefined {
  const account = findAccount(sandbox.graph.accounts, id);
  return account !== undefined && (sandbox.graph.accounts.open || account.token === token) ? account : undefined;
}

function checkToken({ sandbox, token, query }: GraphCall): GraphFailure | undefined {
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

async function handleMessages(call: GraphCall, account: Account): Promise<Answer> {
  return postMessage(call.sandbox, account, await readBody(call.req, JSON_MAX_BYTES));
}

/** Benchmarks call this most: without a fault it reads, checks and answers once. */
async function handleSend(call: GraphCall, res: ServerResponse): Promise<void> {
  const { sandbox, req } = call;
  const bytes = await readBody(req, JSON_MAX_BYTES);
  const fault = sandbox.graph.settings.faults.send.length === 0 ? undefined : takeSendFault(sandbox, bytes);
  await answerCall(res, fault, () => {
    const refusal = checkToken(call);
    if (refusal !== undefined) return makeErrorAnswer(refusal);
    const account = findOwnAccount(call);
    if (account === undefined) return makeErrorAnswer(makeUnknownObjectFailure('POST', call.id));
    return postMessage(sandbox, account, bytes);
  });
}

/** Faults concern messages only; read receipts are not affected. */
function takeSendFault(sandbox: Sandbox, bytes: Buffer | null): Fault | undefined {
  const body = toObject(parseJson(bytes));
  if (body['status'] !== undefined) return undefined;
  return takeFault(sandbox.graph.settings, 'send', onlyDigits(toText(body['to']) ?? ''));
}

const appliesAfterWork = (fault: Fault): boolean =>
  'kind' in fault && ['hang_after_accept', 'reset_after_accept', 'slow_after_accept', 'not_json'].includes(fault.kind);
