/**
 * Has what is said in a recording written down by an endpoint that understands the transcriptions call of OpenAI. One call is one attempt.
 * https://platform.openai.com/docs/api-reference/audio/createTranscription
 */
import { makeForm, type FormFile } from '../platform/outside/outbound-form.ts';
import type { Outbound } from '../platform/outside/outbound.ts';
import type { ChatEndpoint } from './chat.ts';
import { EndpointError, postForm } from './endpoint.ts';

/** The most that is said in ten minutes has some kilobytes. */
const MAX_BYTES = 128 * 1024;

/** Returns what is said; empty when nothing is. Throws an EndpointError. */
export async function transcribe(
  outbound: Outbound,
  { baseUrl, apiKey, model }: ChatEndpoint,
  { file, signal }: { file: Omit<FormFile, 'field'>; signal: AbortSignal },
): Promise<string> {
  const form = makeForm({ model, response_format: 'json' }, { field: 'file', ...file });
  const url = `${baseUrl}/audio/transcriptions`;
  const call = { server: 'transcription model', url, apiKey, form, maxBytes: MAX_BYTES, signal };
  const { text } = ((await postForm(outbound.operator, call)) ?? {}) as { text?: unknown };
  if (typeof text !== 'string') throw new EndpointError('The answer of the transcription model cannot be understood.');
  return text.trim();
}
