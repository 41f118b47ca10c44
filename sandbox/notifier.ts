import { createHmac } from 'node:crypto';
import { request } from 'undici';
import { buildNotification, escapeLikeMeta, type Element } from './envelope.ts';
import type { Notifier, QueuedPost, PostResult, WaitingElement } from './notification-queue.ts';
import type { Sandbox } from './state.ts';

// The bodies of so many notifications take about 200 MB. A receiver for which more wait is far too slow, so new notifications are dropped.
const MAX_QUEUED = 200_000;

/** Queues one element for its webhook, duplicated and shuffled as the settings demand. */
export function notify(sandbox: Sandbox, element: Element, tried?: (result: PostResult) => void): void {
  const { duplicates, shuffle } = sandbox.graph.settings;
  const { generation } = sandbox;
  for (let copy = 0; copy <= duplicates; copy += 1) {
    const waiting: WaitingElement = copy === 0 && tried !== undefined ? { element, tried } : { element };
    const delayMs = shuffle === 0 ? 0 : Math.floor(sandbox.graph.notifier.random() * shuffle);
    if (delayMs === 0) offerElement(sandbox, waiting);
    else setTimeout(() => generation === sandbox.generation && offerElement(sandbox, waiting), delayMs).unref();
  }
}

function offerElement(sandbox: Sandbox, waiting: WaitingElement): void {
  const { notifier, settings } = sandbox.graph;
  notifier.waiting.push(waiting);
  if (notifier.waiting.length >= settings.batch) flushElements(sandbox);
  else notifier.flushTimer ??= setTimeout(() => flushElements(sandbox), settings.batch_wait_ms);
}

function flushElements(sandbox: Sandbox): void {
  const { notifier } = sandbox.graph;
  clearTimeout(notifier.flushTimer);
  notifier.flushTimer = undefined;
  const groups = Map.groupBy(notifier.waiting.splice(0), ({ element }) => element.target);
  for (const [target, group] of groups) {
    const body = escapeLikeMeta(buildNotification(group.map(({ element }) => element)));
    postBody(sandbox, target, Buffer.from(body), (result) => {
      for (const { tried } of group) tried?.(result);
    });
  }
}

/** Queues a signed POST of exactly these bytes; `tried` is called with the result of each try. */
export function postBody(
  sandbox: Sandbox,
  target: string | null,
  bytes: Buffer,
  tried?: (result: PostResult) => void,
): void {
  const { notifier, stats } = sandbox.graph;
  if (target === null || notifier.queue.length - notifier.head >= MAX_QUEUED) {
    if (target === null) stats.notifications_without_callback += 1;
    else stats.notifications_given_up += 1;
    tried?.({ delivered: false, status: null });
    return;
  }
  notifier.queue.push({ target, bytes, tries: 0, ...(tried === undefined ? {} : { tried }) });
  postWaiting(sandbox, notifier);
}

function postWaiting(sandbox: Sandbox, notifier: Notifier): void {
  while (notifier.active < sandbox.graph.settings.concurrency) {
    const post = notifier.queue[notifier.head];
    if (post === undefined) return;
    notifier.head += 1;
    if (notifier.head > 1_024 && notifier.head * 2 > notifier.queue.length) {
      notifier.queue.splice(0, notifier.head);
      notifier.head = 0;
    }
    notifier.active += 1;
    void attemptPost(sandbox, notifier, post).finally(() => {
      notifier.active -= 1;
      postWaiting(sandbox, notifier);
    });
  }
}

async function attemptPost(sandbox: Sandbox, notifier: Notifier, post: QueuedPost): Promise<void> {
  const { stats } = sandbox.graph;
  post.tries += 1;
  stats.notifications_posted += 1;
  const status = await postOnce(sandbox, notifier, post);
  const delivered = status === 200;
  post.tried?.({ delivered, status });
  if (delivered) {
    stats.notifications_delivered += 1;
    return;
  }
  const { start_ms, max_ms, tries } = sandbox.graph.settings.retry;
  if (post.tries >= tries) {
    stats.notifications_given_up += 1;
    return;
  }
  setTimeout(
    () => {
      if (notifier !== sandbox.graph.notifier) return;
      stats.notifications_retried += 1;
      notifier.queue.push(post);
      postWaiting(sandbox, notifier);
    },
    Math.min(max_ms, start_ms * 2 ** (post.tries - 1)),
  ).unref();
}

async function postOnce(sandbox: Sandbox, notifier: Notifier, { target, bytes }: QueuedPost): Promise<number | null> {
  const timeoutMs = sandbox.graph.settings.post_timeout_ms;
  try {
    const { statusCode, body } = await request(target, {
      method: 'POST',
      dispatcher: notifier.agent,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'facebookexternalua',
        ...makeSignatureHeader(sandbox, bytes),
      },
      body: bytes,
    });
    await body.dump();
    return statusCode;
  } catch {
    // Failure policy: a receiver that cannot be reached counts as one that did not answer 200; the post is retried.
    return null;
  }
}

function makeSignatureHeader(sandbox: Sandbox, bytes: Buffer): Record<string, string> {
  const { signature } = sandbox.graph.settings;
  if (signature === 'missing') return {};
  const key = signature === 'valid' ? sandbox.config.appSecret : `not ${sandbox.config.appSecret}`;
  return { 'x-hub-signature-256': `sha256=${createHmac('sha256', key).update(bytes).digest('hex')}` };
}

/** Verifies an address by a GET with a challenge, which the address must return unchanged. Returns true when it did. */
export async function verifyCallback(sandbox: Sandbox, target: string, verifyToken: string): Promise<boolean> {
  const challenge = String(Math.floor(1e9 + Math.random() * 9e9));
  const url = new URL(target);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', verifyToken);
  try {
    const timeoutMs = sandbox.graph.settings.post_timeout_ms;
    const { statusCode, body } = await request(url, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
    return (await body.text()) === challenge && statusCode === 200;
  } catch {
    // Failure policy: a callback that cannot be reached is not verified; the caller reports it.
    return false;
  }
}
