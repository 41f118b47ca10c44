/** Finds messages by the ids that clients know, and shows them as Evolution does. */
import { isId } from '../../platform/values/ids.ts';
import type { JsonObject } from '../json.ts';
import { fromProblem } from './errors.ts';
import { findContactJid } from './jid.ts';
import type { EvolutionCaller } from './route.ts';
import { addContext, describeContent, makeKey, toSeconds, type MessageLookUp } from './message-content.ts';

/** Looks messages up by calls; one that the caller may not read counts as gone. Each is looked up once, and none of those that are `known`. */
export function lookUpBy({ ask }: EvolutionCaller, known: readonly JsonObject[] = []): MessageLookUp {
  const found = new Map<string, JsonObject | null>(known.map((message) => [message._id as string, message]));
  return {
    async message(id) {
      if (!found.has(id)) {
        const answer = await ask('GET', `/v1/messages/${id}`);
        const { status, body } = answer;
        if (status !== 200 && !GONE.includes(status)) throw fromProblem(answer);
        found.set(id, status === 200 ? body : null);
      }
      return found.get(id) ?? null;
    },
  };
}

const GONE = [403, 404];

/** Finds a message of the inbox by the network's id or by its own. */
export async function findMessage(caller: EvolutionCaller, inbox: JsonObject, id: string): Promise<JsonObject | null> {
  const query = { inbox: inbox._id as string, external_id: id, limit: 1, skipCount: true };
  const { result } = await caller.call('GET', '/v1/messages', { query });
  const [found] = result as JsonObject[];
  if (found || !isId(id)) return found ?? null;
  const named = await lookUpBy(caller).message(id);
  return named?.inbox === inbox._id ? named : null;
}

/** Evolution's words for what has become of a message. */
export function readStatus({ status, message_type }: JsonObject): string {
  if (message_type === 'INCOMING') return 'DELIVERY_ACK';
  return new Map([
    ['QUEUED', 'PENDING'],
    ['SENT', 'SERVER_ACK'],
    ['DELIVERED', 'DELIVERY_ACK'],
    ['READ', 'READ'],
    ['FAILED', 'ERROR'],
  ]).get(status as string) as string;
}

/** A message in the form that all answers share. */
export async function showMessage(
  lookUps: MessageLookUp,
  message: JsonObject,
  remoteJid = findContactJid(message.contact as string, message.contact_summary as JsonObject),
): Promise<JsonObject> {
  const key = makeKey(message, remoteJid);
  const { contextInfo = null } = await addContext(message, lookUps);
  return {
    key,
    pushName: key.fromMe ? '' : (message.contact_summary?.name ?? ''),
    ...(await describeContent(message, remoteJid, lookUps)),
    contextInfo,
    messageTimestamp: toSeconds((message.sent_at ?? message.createdAt) as string),
    instanceId: message.inbox,
    source: 'unknown',
  };
}
