/** A fake server of Evolution API v2, below `/gateway`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  answer,
  getOwnProperty,
  parseJson,
  readBody,
  toObject,
  toText,
  writeAnswer,
  type Answer,
  type Json,
} from '../exchange.ts';
import { applyFault, takeFault } from '../faults.ts';
import { publishAccounts, publishTyping } from '../phone/phone.ts';
import { SANDBOX_QR } from './qr.ts';
import type { Fault } from '../settings.ts';
import type { Sandbox } from '../state.ts';
import { listTemplates } from '../templates.ts';
import { postEvent } from './events.ts';
import { bringMessage, createInstance, showInstances } from './instances.ts';
import { isSend, refuse, sendThrough, unavailable } from './send.ts';
import { showMessage } from './shown.ts';
import { keepCall, type Instance } from './state.ts';

const BODY_MAX_BYTES = 136 * 1_048_576;

type GatewayCall = { sandbox: Sandbox; instance: Instance; place: string; body: Json };

const EVENTS = [
  'QRCODE_UPDATED',
  'MESSAGES_SET',
  'MESSAGES_UPSERT',
  'MESSAGES_EDITED',
  'MESSAGES_UPDATE',
  'MESSAGES_DELETE',
  'SEND_MESSAGE',
  'CONTACTS_UPSERT',
  'CONTACTS_UPDATE',
  'PRESENCE_UPDATE',
  'CONNECTION_UPDATE',
  'REMOVE_INSTANCE',
  'LOGOUT_INSTANCE',
];

const OPERATIONS: Record<string, (call: GatewayCall) => Answer | Promise<Answer>> = {
  'GET instance/connectionState': ({ instance }) =>
    answer({ instance: { instanceName: instance.name, state: instance.state } }),
  'GET instance/connect': connectPhone,
  'POST webhook/set': setWebhook,
  'DELETE instance/delete': ({ sandbox, instance }) => {
    sandbox.gateway.instances.delete(instance.name);
    return answer({ status: 'SUCCESS', error: false, response: { message: 'Instance deleted' } });
  },
  // Only a paired phone has these two.
  'POST chat/markMessageAsRead': (call) => (call.instance.integration === 'business' ? unavailable() : markRead(call)),
  'POST chat/sendPresence': (call) => (call.instance.integration === 'business' ? unavailable() : showTyping(call)),
  'DELETE chat/deleteMessageForEveryone': (call) =>
    call.instance.integration === 'business' ? unavailable() : revokeMessage(call),
  'POST chat/whatsappNumbers': findNumbers,
  'POST chat/getBase64FromMediaMessage': readFile,
  'GET template/find': findTemplates,
};

/** Answers `/gateway/<group>/<call>/<instance>`. */
export async function handleGateway(sandbox: Sandbox, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = '', search] = (req.url ?? '').split('?', 2);
  const [, , group = '', place = '', name = ''] = path.split('/');
  const bytes = await readBody(req, BODY_MAX_BYTES);
  const fault = takeFault(sandbox.gateway.settings.faults, place);
  const isLate = fault !== undefined && 'kind' in fault && fault.kind.endsWith('_after_accept');
  if (fault !== undefined && !isLate && (await meetFault(fault, res))) return;
  const done = await route(sandbox, req, {
    group,
    place,
    name: decodeURIComponent(name),
    query: new URLSearchParams(search),
    bytes,
  });
  if (isLate && (await meetFault(fault, res))) return;
  writeAnswer(res, done);
}

/** A fault with a code is a refusal of the Cloud API, which the gateway answers with 201. With the status 200 it is an error of the gateway itself. */
async function meetFault(fault: Fault, res: ServerResponse): Promise<boolean> {
  if (!('code' in fault)) return applyFault(fault, res);
  const { code, message = 'A fault that was set.', http_status: status } = fault;
  if (status === undefined) writeAnswer(res, { status: 201, body: { message, type: 'OAuthException', code } });
  else writeAnswer(res, status === 200 ? answer({ error: true, message }) : refuse(status, 'Refused', [message]));
  return true;
}

interface Asked {
  group: string;
  place: string;
  name: string;
  query: URLSearchParams;
  bytes: Buffer | null;
}

async function route(
  sandbox: Sandbox,
  req: IncomingMessage,
  { group, place, name, query, bytes }: Asked,
): Promise<Answer> {
  const call = `${req.method} ${group}/${place}`;
  const key = req.headers['apikey'];
  if (call === 'POST instance/create') return createInstance(sandbox, toObject(parseJson(bytes)), String(key ?? ''));
  if (call === 'GET instance/fetchInstances')
    return showInstances(sandbox, query.get('instanceName'), String(key ?? ''));
  if (call === 'POST webhook/evolution') return bringMessage(sandbox, toObject(parseJson(bytes)));
  const instance = sandbox.gateway.instances.get(name);
  if (!instance) return refuse(404, 'Not Found', [`The "${name}" instance does not exist`]);
  if (key !== instance.api_key) return refuse(401, 'Unauthorized', 'Unauthorized');
  const body = bytes?.length ? parseJson(bytes) : {};
  if (body === undefined) return refuse(400, 'Bad Request', ['The body is not JSON']);
  const given = { sandbox, instance, place, body: toObject(body) };
  keepCall(sandbox.gateway, { path: `${group}/${place}`, instance: name, body: given.body });
  if (req.method === 'POST' && group === 'message' && isSend(place))
    return sendThrough(sandbox, instance, place, given.body);
  const operation = getOwnProperty(OPERATIONS, call);
  return operation ? operation(given) : refuse(404, 'Not Found', [`Cannot ${req.method} ${req.url}`]);
}

function markRead({ sandbox, body }: GatewayCall): Answer {
  const list = Array.isArray(body['readMessages']) ? body['readMessages'] : [];
  for (const id of list.map((each) => String(toObject(each)['id']))) {
    const message = sandbox.gateway.messages.get(id);
    if (message) message.read = true;
    showMessage(sandbox, id);
  }
  return answer({ message: 'Read messages', read: 'success' }, 201);
}

/** The phone keeps the place of a deleted message. */
function revokeMessage({ sandbox, body }: GatewayCall): Answer {
  const id = String(body['id']);
  const message = sandbox.gateway.messages.get(id);
  if (message) message.data['message'] = { conversation: '🚫 This message was deleted' };
  showMessage(sandbox, id);
  return answer({ key: body, status: 'PENDING' }, 201);
}

function showTyping({ sandbox, instance, body }: GatewayCall): Answer {
  publishTyping(sandbox, { network: 'partner', account: instance.name, contact: toText(body['number']) ?? '' });
  return answer({ presence: body['presence'] }, 201);
}

/** Everybody has WhatsApp but those whose number ends with 000. */
function findNumbers({ body }: GatewayCall): Answer {
  const list = Array.isArray(body['numbers']) ? body['numbers'] : [];
  return answer(
    list.map(String).map((number) => ({
      jid: `${number}@s.whatsapp.net`,
      exists: !number.endsWith('000'),
      number,
    })),
  );
}

/** Begins the pairing, and shows the code that a phone would scan. */
function connectPhone({ sandbox, instance }: GatewayCall): Answer {
  if (instance.state === 'open') return answer({ instance: { instanceName: instance.name, state: 'open' } });
  instance.state = 'connecting';
  publishAccounts(sandbox, 'partner');
  void postEvent(sandbox, instance, 'connection.update', {
    instance: instance.name,
    state: 'connecting',
    statusReason: 200,
  });
  return answer({ pairingCode: 'WZYEH1YY', code: '2@sandbox', base64: SANDBOX_QR, count: 1 });
}

/** The gateway passes on the first page of its account. For a paired phone the network refuses the call, and the gateway answers nothing. */
function findTemplates({ sandbox, instance }: GatewayCall): Answer {
  if (instance.integration !== 'business') return { status: 200, body: Buffer.alloc(0) };
  const { body } = listTemplates(sandbox.graph.catalogue, instance.waba_id, '', new URLSearchParams());
  return answer(toObject(body)['data'] as Json[]);
}

function setWebhook({ instance, body }: GatewayCall): Answer {
  const given = toObject(body['webhook']);
  const url = toText(given['url']);
  if (url === undefined) return refuse(400, 'Bad Request', [['instance requires property "webhook"']]);
  const events = (Array.isArray(given['events']) ? given['events'] : []).map(String);
  const unknown = events.find((event) => !EVENTS.includes(event));
  if (unknown !== undefined)
    return refuse(400, 'Bad Request', [[`webhook.events[0] is not one of enum values: ${EVENTS.join(',')}`]]);
  const headers = toObject(given['headers']) as Record<string, string>;
  instance.webhook = { enabled: given['enabled'] === true, url, headers, events, base64: given['base64'] === true };
  return answer({ ...instance.webhook, instanceId: instance.name }, 201);
}

/** A paired phone has the message by its id. The Cloud API has the file by the id that the call repeats from the message. */
function readFile({ sandbox, instance, body }: GatewayCall): Answer {
  const wanted = toObject(body['message']);
  const id = String(toObject(wanted['key'])['id']);
  const stored = sandbox.gateway.messages.get(id);
  if (instance.integration === 'business') {
    const part = String(wanted['messageType']);
    const read = (message: unknown): unknown => toObject(getOwnProperty(toObject(message), part))['id'];
    if (!stored || read(wanted['message']) === undefined || read(wanted['message']) !== read(stored.data['message']))
      return refuse(400, 'Bad Request', ["TypeError: Cannot read properties of undefined (reading 'id')"]);
  }
  if (!stored || stored.instance !== instance.name || stored.base64 === null)
    return refuse(400, 'Bad Request', ['Message not found']);
  const { data, base64 } = stored;
  const mediaType = String(data['messageType']);
  const { mimetype, fileName, caption } = toObject(getOwnProperty(toObject(data['message']), mediaType));
  return answer(
    { mediaType, fileName, caption, size: { fileLength: base64.length }, mimetype, base64, buffer: null },
    201,
  );
}
