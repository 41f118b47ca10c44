/** Both ends of a webhook delivery for tests: a receiver whose answers the test chooses, and events that the test enqueues directly. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { emit, type EventName } from '../../src/platform/store/events.ts';
import { newId } from '../../src/platform/values/ids.ts';
import type { Company, Json, Platform } from './platform.ts';
import { waitUntil } from './wait.ts';

export interface ReceivedDelivery {
  path: string;
  event: string | undefined;
  headers: IncomingHttpHeaders;
  body: Json;
}

export interface Receiver {
  url: string;
  /** All requests that arrived completely, in order. */
  received: ReceivedDelivery[];
  /** The requests that arrived at one path. */
  at(path: string): ReceivedDelivery[];
}

type Answer = (response: ServerResponse, received: ReceivedDelivery, request: IncomingMessage) => void | Promise<void>;

const answerOk: Answer = (response) => void response.writeHead(204).end();

/**
 * Starts a receiver on the loopback address, for platforms with OUTBOUND_ALLOW=127.0.0.0/8. The receiver stops after the file's last test.
 */
export async function startReceiver(answer: Answer = answerOk): Promise<Receiver> {
  const received: ReceivedDelivery[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    // Failure policy: some tests make the sender give up, so its errors are expected.
    request.on('error', () => undefined).on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: Json = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const event = request.headers['x-webhook-event'] as string | undefined;
      const item = { path: request.url ?? '', event, headers: request.headers, body };
      received.push(item);
      void answer(response, item, request);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => void server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, received, at: (path) => received.filter((item) => item.path === path) };
}

/** A gate at a receiver, which holds answers back until the gate is opened. */
export interface AnswerGate {
  opened: Promise<void>;
  open(): void;
}

export function createAnswerGate(): AnswerGate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { opened: promise, open: resolve };
}

export interface ListeningCompany extends Company {
  webhook: string;
}

/** Creates a company whose webhook at `url` gets the events of contacts, unless `webhook` lists other events. */
export async function createListeningCompany(
  platform: Platform,
  url: string,
  webhook: Record<string, unknown> = {},
): Promise<ListeningCompany> {
  const company = await platform.createCompany();
  const body = { url, events: ['CONTACT_CREATED', 'CONTACT_UPDATED'], ...webhook };
  const created = await platform.call(201, 'POST', '/v1/webhooks', { key: company.key, body });
  return { ...company, webhook: created.body._id };
}

/** Enqueues events of one company in one transaction and returns the ids of their records. */
export async function queueEvents(
  platform: Platform,
  company: string,
  count = 1,
  event: EventName = 'CONTACT_CREATED',
): Promise<string[]> {
  const items = Array.from({ length: count }, () => ({ event, data: { _id: newId(), company } }));
  await platform.running.kit.database.tenantTx(company, (tx) => emit(tx, items));
  return items.map((item) => item.data._id);
}

/** Returns the company's deliveries, newest first, once all of them have ended. */
export async function waitForFinishedDeliveries(platform: Platform, company: Company, count = 1): Promise<Json[]> {
  return waitUntil(`${count} deliveries to end`, async () => {
    const { body } = await platform.call(200, 'GET', '/v1/webhooks/deliveries?limit=100', { key: company.key });
    const ended = (body.result as Json[]).filter((delivery) => delivery.finished_at !== null);
    return ended.length === body.meta.totalCount && ended.length >= count ? ended : null;
  });
}
