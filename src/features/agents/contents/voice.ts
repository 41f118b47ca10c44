/** Has voice notes written down by the transcription model of an agent. */
import type { ChatEndpoint } from '../../../ai/chat.ts';
import { EndpointError } from '../../../ai/endpoint.ts';
import { transcribe } from '../../../ai/transcription.ts';
import { openAttachment } from '../../attachments/attachments.ts';
import type { NamedAttachment } from '../../messages/files.ts';
import { MAX_TEXT } from '../../messages/schemas.ts';
import { reserveTokens, settleTokens } from '../answers/budget.ts';
import { findSpender, type Scene } from '../tools/tool.ts';
import { findFileText, insertFileText } from './queries.ts';
import { CanNotRead } from './reading.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

// Longer ones would use up the time of the turn.
const MOST_SECONDS = declareLimit(600, {
  topic: 'Agents',
  what: 'Files: length of a voice message',
  unit: 'seconds',
  beyond: 'not heard',
});
const TRANSCRIPTION_MS = 12_000;
// Models count some ten tokens for a second of sound, and what is said in it has fewer.
const TOKENS_PER_SECOND = 20;
/** The fewest bytes that a second of speech has in a file. */
const BYTES_PER_SECOND = 1_000;

/** Returns what is said in a voice note. Throws CanNotRead with the reason when that cannot be found out. */
export async function hearVoice(
  scene: Scene,
  endpoint: ChatEndpoint,
  { row, signal }: { row: NamedAttachment; signal: AbortSignal },
): Promise<string> {
  const { kit, acting, agent } = scene;
  const model = agent.transcription_model;
  if (model === null) throw new CanNotRead('the agent has no transcription model');
  const known = await findFileText(acting.read, { attachment: row._id, model });
  if (known) return known.content;
  const seconds = row.facts.duration ?? (row.bytes ?? 0) / BYTES_PER_SECOND;
  if (seconds > MOST_SECONDS) throw new CanNotRead(`it is longer than ${MOST_SECONDS / 60} minutes`);
  const tokens = Math.ceil(seconds * TOKENS_PER_SECOND) + 1;
  const day = await reserveTokens(kit, findSpender(scene), tokens);
  if (day === null) throw new CanNotRead('the tokens of the day are used up');
  const text = await listen(scene, { ...endpoint, model }, { row, signal }).catch(async (error: unknown) => {
    if (!(error instanceof EndpointError)) throw error;
    if (!error.sent) await settleTokens(kit, findSpender(scene), { day, difference: -tokens });
    throw new CanNotRead(error.message);
  });
  scene.notes.heardSeconds += seconds;
  const content = text.replaceAll('\0', '').slice(0, MAX_TEXT).toWellFormed();
  await acting.tx((tx) => insertFileText(tx, { attachment: row._id, model, content, is_cut: false }));
  return content;
}

async function listen(
  { kit }: Scene,
  endpoint: ChatEndpoint,
  { row, signal }: { row: NamedAttachment; signal: AbortSignal },
): Promise<string> {
  const opened = await openAttachment(kit, row);
  if (!opened) throw new CanNotRead('the file is missing');
  const { fileName, mimeType, bytes, body: content } = opened;
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TRANSCRIPTION_MS)]);
  return transcribe(kit.outbound, endpoint, { file: { fileName, mimeType, bytes, content }, signal: limited });
}
