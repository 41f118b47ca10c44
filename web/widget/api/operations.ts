/** The calls of the web chat, sent as the client of the platform sends its own. */
import { callUntilAnswered } from '../../../sdk/src/attempts.ts';
import type { CallOptions, Operation, StreamOptions } from '../../../sdk/src/operation.ts';
import { prepareRequest } from '../../../sdk/src/request.ts';
import { openStream } from '../../../sdk/src/stream.ts';
import { INBOX, PLATFORM } from '../address.ts';
import type { VisitedPage } from '../bridge.ts';
import type { Answers, ChatEvent, ChatMessage, ChatSession, ChatSettings, MessagePage } from './types.ts';

const BASE = '/web/v1/inboxes/{inbox}';
const TIMEOUT_MS = 30_000;
const FILE_TIMEOUT_MS = 600_000;

async function call<T>(
  operation: Operation,
  given: readonly unknown[],
  { token, ...options }: CallOptions & { token?: string | undefined } = {},
): Promise<T> {
  const client = { url: PLATFORM, token, repeatForMs: 0, timeoutMs: TIMEOUT_MS };
  const request = prepareRequest(client, operation, [INBOX, ...given, options]);
  return callUntilAnswered(client, request, async (response) => (await response.json()) as T);
}

/** Asks until the platform answers. */
export const readSettings = (): Promise<ChatSettings> =>
  call({ method: 'GET', path: BASE }, [], { repeatForMs: Number.POSITIVE_INFINITY });

export const openSession = (token: string | undefined, body: { identity?: string }): Promise<ChatSession> =>
  call({ method: 'POST', path: `${BASE}/session`, body: 'json' }, [body], { token });

export const listMessages = (token: string, query: { before?: string; limit: number }): Promise<MessagePage> =>
  call({ method: 'GET', path: `${BASE}/messages`, query: true }, [query], { token, repeatForMs: 10_000 });

export interface NewText {
  client_id: string;
  content: string;
  reply_to?: string;
  /** The id of the button of that message which was pressed. */
  button?: string;
  page?: VisitedPage;
  answers?: Answers;
}

export const sendText = (token: string, body: NewText): Promise<ChatMessage> =>
  call({ method: 'POST', path: `${BASE}/messages`, body: 'json' }, [body], { token });

export interface NewFile {
  client_id: string;
  file: File;
  answers?: Answers;
}

export const sendFile = (token: string, body: NewFile): Promise<ChatMessage> =>
  call({ method: 'POST', path: `${BASE}/files`, body: 'form' }, [body], { token, timeoutMs: FILE_TIMEOUT_MS });

export const showTyping = (token: string, state: 'TYPING' | 'IDLE'): Promise<unknown> =>
  call({ method: 'POST', path: `${BASE}/typing`, body: 'json' }, [{ state }], { token });

export const sendReceipt = (
  token: string,
  body: { delivered_to?: string; read_to?: string },
): Promise<{ unread_count: number }> =>
  call({ method: 'POST', path: `${BASE}/receipts`, body: 'json' }, [body], { token });

/** Iterates over the events until the signal ends. It connects again by itself, behind the last event. */
export function followStream(token: string, options: StreamOptions): AsyncIterable<ChatEvent> {
  const client = { url: PLATFORM, token };
  const request = prepareRequest(client, { method: 'GET', path: `${BASE}/live`, answer: 'stream' }, [INBOX, options]);
  return openStream(client, request) as AsyncIterable<unknown> as AsyncIterable<ChatEvent>;
}
