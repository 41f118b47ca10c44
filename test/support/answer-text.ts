/** Reads the body of an answer; of a stream of events, which has no end, only the first event. */
export async function readAnswerText(type: unknown, body: AsyncIterable<Uint8Array> | null): Promise<string> {
  const isStream = String(type).startsWith('text/event-stream');
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (isStream && text.includes('\n\n')) break;
  }
  return text + decoder.decode();
}
