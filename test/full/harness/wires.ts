/** How the networks of the channels reach the platform in proofs: their inboxes, and the requests by which they tell what happened. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIL_LOG_IN, startImapServer, startSmtpServer, trustCertificate } from '../../support/mail-servers.ts';
import { SAMPLE_HEADERS, writeMail } from '../../support/mails.ts';
import type { Json } from '../../support/platform.ts';
import { buildNotification, buildStatusElement, buildTextElement, type Element, type Post } from './network.ts';
import type { PlatformProcess } from './processes.ts';
import { call, callUntilAccepted, createInbox, type Stage, type Tenant } from './stage.ts';

/** An inbox as its network knows it. */
export interface Door {
  inbox: string;
  /** What the network calls it. */
  name: string;
  headers: Record<string, string>;
}

/** A text that a person has written. `isOther` chooses another spelling of the same person. */
export interface WrittenText {
  door: Door;
  id: string;
  person: number;
  isOther: boolean;
  text: string;
}

export type ReportedStatus = 'sent' | 'delivered' | 'read' | 'failed';

interface ReportedNews {
  id: string;
  status: ReportedStatus;
}

/** A request of the network, and the ids of what it tells. */
export interface TellingPost extends Post {
  ids: string[];
}

export interface Wire {
  /** The settings of the processes that speak with the network. */
  env: Record<string, string>;
  open(tenant: Tenant, api: PlatformProcess): Promise<Door>;
  /** Tells texts with as few requests as the network would make. */
  tellTexts(texts: WrittenText[]): TellingPost[];
  /** Makes a person known to a network that takes no messages to others. */
  introduce?(person: number): Promise<unknown>;
  /** Null where the network reports no statuses of each message. */
  tellStatuses: ((door: Door, news: ReportedNews[]) => TellingPost[]) | null;
  statuses: readonly ReportedStatus[];
  reportsFailures: boolean;
  /** The most messages that leave at once; null on a network that bears any number. */
  sendsAtOnce: number | null;
  close(): Promise<void>;
}

const connectedInbox = async (api: PlatformProcess, { key }: Tenant, body: Json): Promise<string> => {
  const inbox = await callUntilAccepted(201, 'POST', `${api.url}/v1/inboxes`, { key, body });
  assert.equal(inbox.connection.status, 'CONNECTED');
  return inbox._id;
};

const nothing = async (): Promise<void> => undefined;
let opened = 0;
const nextNumber = (): string => String((opened += 1)).padStart(2, '0');

/**
 * The digits of a Brazilian mobile number, which are the same person with and without the ninth digit. Behind it these numbers begin with 8:
 * numbers that begin lower are landlines, which never have a ninth digit.
 */
const toPhone = (person: number, isOther: boolean): string => `5511${isOther ? '' : '9'}${80_000_000 + person}`;

function openCloudApi(stage: Stage): Wire {
  const tell = (elements: Element[], ids: string[]): TellingPost => {
    const body = buildNotification(elements);
    const signature = createHmac('sha256', stage.appSecret).update(body).digest('hex');
    return { path: '/hooks/wap', headers: { 'x-hub-signature-256': `sha256=${signature}` }, body, ids };
  };
  return {
    env: {},
    open: async (tenant, api) => {
      const name = `1000000000001${nextNumber()}`;
      const silence = { status_delays_ms: { sent: null, delivered: null, read: null } };
      await call(200, 'PUT', `${stage.sandboxUrl}/sandbox/settings`, { body: silence });
      return { inbox: await createInbox(api, tenant, name), name, headers: {} };
    },
    tellTexts: (texts) => {
      const elements = texts.map(({ door, id, person, isOther, text }) =>
        buildTextElement(door.name, toPhone(person, isOther), id, text),
      );
      return [
        tell(
          elements,
          texts.map(({ id }) => id),
        ),
      ];
    },
    tellStatuses: ({ name }, news) => [
      tell(
        news.map(({ id, status }) => buildStatusElement(name, id, status)),
        news.map(({ id }) => id),
      ),
    ],
    statuses: ['sent', 'delivered', 'read', 'failed'],
    reportsFailures: true,
    sendsAtOnce: null,
    close: nothing,
  };
}

const WORDS: Record<ReportedStatus, string> = {
  sent: 'SERVER_ACK',
  delivered: 'DELIVERY_ACK',
  read: 'READ',
  failed: 'ERROR',
};

/** The gateway of a partner: an event has a list of what happened to one instance. */
function openPartnerApi(stage: Stage): Wire {
  const control = `${stage.sandboxUrl}/sandbox/gateway`;
  const tell = ({ inbox, name, headers }: Door, event: string, data: Json[], ids: string[]): TellingPost => ({
    path: `/hooks/partner/${inbox}`,
    headers,
    body: JSON.stringify({ event, instance: name, data }),
    ids,
  });
  return {
    env: {},
    open: async (tenant, api) => {
      const [name, api_key] = [`shop ${nextNumber()}`, `key-of-the-instance-${nextNumber()}`];
      const silence = { status_delays_ms: { SERVER_ACK: null, DELIVERY_ACK: null, READ: null } };
      await call(200, 'PUT', `${control}/settings`, { body: silence });
      await call(201, 'POST', `${control}/instances`, { body: { name, api_key } });
      const inbox = await connectedInbox(api, tenant, {
        channel: 'PARTNER_API',
        name,
        number: '+5585991239999',
        partner_api_config: { base_url: `${stage.sandboxUrl}/gateway`, api_key, instance_name: name },
      });
      const { instances } = await call(200, 'GET', `${control}/instances`);
      const { webhook } = instances.find((each: Json) => each.name === name);
      return { inbox, name, headers: webhook.headers };
    },
    tellTexts: (texts) =>
      [...Map.groupBy(texts, ({ door }) => door)].map(([door, some]) => {
        const data = some.map(({ id, person, isOther, text }) => ({
          key: { id, remoteJid: `${toPhone(person, isOther)}@s.whatsapp.net`, fromMe: false },
          pushName: `Person ${person}`,
          message: { conversation: text },
          messageType: 'conversation',
          messageTimestamp: Math.floor(Date.now() / 1_000),
        }));
        return tell(
          door,
          'messages.upsert',
          data,
          some.map(({ id }) => id),
        );
      }),
    tellStatuses: (door, news) => {
      const data = news.map(({ id, status }) => ({ keyId: id, remoteJid: 'x', fromMe: true, status: WORDS[status] }));
      return [
        tell(
          door,
          'messages.update',
          data,
          news.map(({ id }) => id),
        ),
      ];
    },
    statuses: ['sent', 'delivered', 'read', 'failed'],
    reportsFailures: false,
    sendsAtOnce: null,
    close: nothing,
  };
}

const describeProfile = (person: number) => ({
  provider_id: `ACoAAPerson${String(person).padStart(28, '0')}`,
  public_identifier: `person-${person}`,
  name: `Person ${person}`,
});

const HOOK_SECRET = 'hook-secret-of-the-proof';

/** The professional network's gateway: an event has one message, and all accounts call the same path. */
function openProfessionalNetwork(stage: Stage): Wire {
  const control = `${stage.sandboxUrl}/sandbox/network`;
  const tell = (event: Json): TellingPost => ({
    path: '/hooks/network',
    headers: { 'x-hook-secret': HOOK_SECRET },
    body: JSON.stringify(event),
    ids: [event.message_id],
  });
  return {
    env: {
      NETWORK_API_URL: `${stage.sandboxUrl}/network`,
      NETWORK_API_KEY: 'sandbox-network-key',
      NETWORK_HOOK_SECRET: HOOK_SECRET,
      NETWORK_SENDS_PER_DAY: '100000',
    },
    open: async ({ key }, api) => {
      const silence = { event_delays_ms: { message_received: null, message_delivered: null, message_read: null } };
      await call(200, 'PUT', `${control}/settings`, { body: silence });
      const body = { channel: 'PROFESSIONAL_NETWORK', name: 'Vera' };
      const { _id: inbox } = await callUntilAccepted(201, 'POST', `${api.url}/v1/inboxes`, { key, body });
      const { url } = await callUntilAccepted(201, 'POST', `${api.url}/v1/inboxes/${inbox}/connect-link`, { key });
      const { account, status } = await call(200, 'POST', `${control}/log-in`, { body: { url } });
      assert.equal(status, 200);
      return { inbox, name: account, headers: {} };
    },
    introduce: (person) => call(201, 'POST', `${control}/profiles`, { body: describeProfile(person) }),
    // A profile has a name in its address, which some events leave out.
    tellTexts: (texts) =>
      texts.map(({ door, id, person, isOther, text }) =>
        tell({
          event: 'message_received',
          account_id: door.name,
          account_info: { user_id: 'ACoAAOfTheAccountItself' },
          chat_id: `chat-${person}`,
          message_id: id,
          message: text,
          timestamp: new Date().toISOString(),
          sender: {
            attendee_provider_id: describeProfile(person).provider_id,
            attendee_public_identifier: isOther ? null : describeProfile(person).public_identifier,
            attendee_name: describeProfile(person).name,
          },
          attachments: [],
          is_sender: false,
        }),
      ),
    tellStatuses: ({ name }, news) =>
      news.map(({ id, status }) =>
        tell({ event: `message_${status}`, account_id: name, message_id: id, is_sender: 1 }),
      ),
    // Each send is accepted by its answer, and no further event says that it was.
    statuses: ['delivered', 'read', 'failed'],
    reportsFailures: false,
    sendsAtOnce: 1,
    close: nothing,
  };
}

const MAIL_SECRET = 'a-secret-of-the-mail-server-1234';

/** A mail server that pushes mails. Their senders write their own address in any case of letters. */
async function openMail(): Promise<Wire> {
  const ends: (() => unknown)[] = [];
  const scope = { after: (end: () => unknown) => void ends.push(end) };
  const folder = await mkdtemp(join(tmpdir(), 'parley-mails-'));
  scope.after(() => rm(folder, { recursive: true, force: true }));
  const certificate = trustCertificate(scope);
  const authority = join(folder, 'certificate.pem');
  await writeFile(authority, certificate.cert);
  const smtp = await startSmtpServer(scope, certificate);
  return {
    env: { NODE_EXTRA_CA_CERTS: authority },
    open: async (tenant, api) => {
      const name = `support-${nextNumber()}@shop.example`;
      // A mailbox belongs to one inbox, and each of these servers has one.
      const { port } = await startImapServer(scope, certificate);
      const email_config = {
        ...MAIL_LOG_IN,
        smtp_url: `smtps://127.0.0.1:${smtp.port}`,
        imap_url: `imaps://127.0.0.1:${port}`,
        address: name,
        hook_secret: MAIL_SECRET,
      };
      const inbox = await callUntilAccepted(201, 'POST', `${api.url}/v1/inboxes`, {
        key: tenant.key,
        body: { channel: 'EMAIL', name, email_config },
      });
      return { inbox: inbox._id, name, headers: {} };
    },
    tellTexts: (texts) =>
      texts.map(({ door, id, person, isOther, text }) => {
        const address = `${isOther ? 'Person' : 'person'}${person}@${isOther ? 'Client' : 'client'}.example`;
        const From = `Person ${person} <${address}>`;
        return {
          path: `/hooks/email/${door.inbox}`,
          headers: { 'content-type': 'message/rfc822', 'x-hook-secret': MAIL_SECRET },
          body: writeMail({ ...SAMPLE_HEADERS, From, 'Message-ID': `<${id}>` }, text),
          ids: [id],
        };
      }),
    // A server only reports that it could not deliver a mail.
    tellStatuses: null,
    statuses: [],
    reportsFailures: false,
    sendsAtOnce: null,
    close: async () => {
      for (const end of ends.toReversed()) await end();
    },
  };
}

/** The channels whose networks post to the platform. Visitors of web chats have a proof of their own. */
export const WIRES = {
  WAP_AUTO_CLOSER: openCloudApi,
  PARTNER_API: openPartnerApi,
  PROFESSIONAL_NETWORK: openProfessionalNetwork,
  EMAIL: openMail,
} satisfies Record<string, (stage: Stage) => Wire | Promise<Wire>>;

export type WireName = keyof typeof WIRES;
