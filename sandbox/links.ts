import { request } from 'undici';
import type { Account } from './accounts.ts';
import type { SentMessage } from './graph-state.ts';
import { isLoopbackUrl } from './loopback.ts';
import { addMedia, MEDIA_MAX_BYTES } from './media.ts';
import type { Sandbox } from './state.ts';
import { scheduleStatuses } from './statuses.ts';

/**
 * Fetches a linked file as the network does, after the call was accepted. A bad link gives the status `failed` with code 131053. Only
 * addresses on this machine are fetched; any other link counts as good, because the sandbox calls no other machine.
 */
export async function fetchLink(sandbox: Sandbox, account: Account, message: SentMessage, link: string): Promise<void> {
  const { generation } = sandbox;
  const problem =
    sandbox.graph.settings.fetch_links && isLoopbackUrl(link) ? await storeLink(sandbox, message, link) : undefined;
  if (generation !== sandbox.generation) return;
  if (problem === undefined) scheduleStatuses(sandbox, account, message);
  else scheduleStatuses(sandbox, account, message, { code: 131053, details: problem });
}

async function storeLink(sandbox: Sandbox, message: SentMessage, link: string): Promise<string | undefined> {
  try {
    const timeoutMs = sandbox.graph.settings.post_timeout_ms;
    const { statusCode, headers, body } = await request(link, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MEDIA_MAX_BYTES) return `The media at ${link} is larger than the network accepts.`;
      chunks.push(chunk);
    }
    if (statusCode !== 200) return `Downloading media from ${link} failed with HTTP code ${statusCode}.`;
    const mimeType = String(headers['content-type'] ?? 'application/octet-stream');
    message.media_id = addMedia(sandbox.graph.media, {
      bytes: Buffer.concat(chunks),
      mimeType,
      phoneNumberId: null,
    }).id;
    return undefined;
  } catch {
    // Failure policy: any failure of a link fails the sender's message, as on the network.
    return `Downloading media from ${link} failed: no answer.`;
  }
}
