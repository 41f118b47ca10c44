/** The program of the child processes that talk with the mail servers of companies. */
import { answerMailbox, type MailboxRequest } from './channels/email/mailbox-answers.ts';
import type { ConversationEnd, Numbered } from './platform/work/callers.ts';
import { serveParent } from './platform/work/child-work.ts';

/** News that follow within this time are one. A server may send a hundred thousand in a second. */
const GATHERED_MS = 200;
const running = new Map<number, AbortController>();

const isEnd = (request: object): request is ConversationEnd => 'end' in request;
const isConversation = (request: object): request is MailboxRequest & Numbered => 'conversation' in request;

serveParent(async (request, supply, socket) => {
  if (isEnd(request)) {
    running.get(request.end)?.abort(request.isLate ? new DOMException('The time is over.', 'TimeoutError') : undefined);
    return null;
  }
  // What else the parent asks is to forget the last conversation, of which nothing is kept.
  if (!isConversation(request)) return null;
  const { conversation } = request;
  const ending = new AbortController();
  running.set(conversation, ending);
  let gathering: NodeJS.Timeout | undefined;
  const onNews = (): void => {
    gathering ??= setTimeout(() => {
      gathering = undefined;
      void supply({ conversation } satisfies Numbered);
    }, GATHERED_MS);
  };
  return answerMailbox(request, { socket, signal: ending.signal, onNews }).finally(() => {
    running.delete(conversation);
    clearTimeout(gathering);
  });
});
