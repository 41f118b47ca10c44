/** What many templates are sent through: an inbox with its channel, credentials, daily limit and pace, and the files that the messages show. */
import { PHONE_NUMBER, type Identity } from '../../channels/identity.ts';
import type { SendResult } from '../../channels/channel.ts';
import type { Overload } from '../../channels/limits.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { ApprovedTemplate } from '../../channels/templates/compose.ts';
import type { GivenComponent } from '../../channels/templates/given.ts';
import type { Kit } from '../../kit.ts';
import { AppError } from '../../platform/values/errors.ts';
import { holdLane, holdPairs, type Lane } from '../../platform/work/pacing.ts';
import type { TenantRead, TenantTx } from '../../platform/store/tenant.ts';
import { networkCredentials, type Credentials } from '../inboxes/connection.ts';
import { findPortfolio, type Portfolio } from '../inboxes/portfolio.ts';
import type { Renewals } from '../messages/file-upload.ts';
import { checkHeaders, describeFile, makeOutboundFiles } from '../messages/files.ts';
import { callNetwork, uploadShared } from '../messages/network-call.ts';
import { checkGiven } from '../templates/parameters.ts';
import { findSendingInbox, type SendingInbox } from './queries.ts';
import type { Fault, StoredSend } from './schemas.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export { findSendingInbox, type SendingInbox } from './queries.ts';

export interface Sender {
  company: string;
  inbox: SendingInbox;
  channel: NamedChannel;
  credentials: Credentials | null;
  portfolio: Portfolio | null;
  lane: Lane;
}

// The rest of a number's throughput is left for messages that people send, and for received messages, which count as well.
const BULK_SHARE = declareLimit(0.8, {
  topic: 'Campaigns',
  what: 'Throughput of a WhatsApp number: share of bulk sends and campaigns',
  unit: 'percent',
  beyond: 'the next messages wait',
});

export async function openSender(kit: Kit, read: TenantRead, inboxId: string): Promise<Sender> {
  const [inbox, credentials] = await Promise.all([
    findSendingInbox(read, inboxId),
    networkCredentials(kit, read, inboxId),
  ]);
  if (!inbox) throw new Error('the inbox that sends is gone');
  const channel = kit.channels.get(inbox.channel);
  // An inbox may have moved to a channel without templates. Its runs end with the first look for their template.
  const throughput = channel.templates?.readThroughput(inbox.coexistence) ?? 1;
  return {
    company: read.companyId,
    inbox,
    channel,
    credentials,
    portfolio: credentials && findPortfolio(channel, credentials.settings),
    lane: {
      number: `number ${inbox.channel} ${inbox.address ?? inbox._id}`,
      account: `account ${inbox.channel} ${inbox.account ?? inbox._id}`,
      rate: throughput * BULK_SHARE,
    },
  };
}

/** The attachments that all messages show, in their header or in the cards of their carousel. */
export interface TemplateFiles extends ReturnType<typeof makeOutboundFiles> {
  header: { attachment: string; media: ReturnType<typeof describeFile> } | null;
  renewals: Renewals;
}

export interface OpenedFiles {
  files: TemplateFiles;
  /** Why an attachment that the template shows can no longer be sent; null when all can. */
  fault: Fault | null;
}

/** Opens the files of a template. They are opened again when sending goes on, because one may have been removed meanwhile. */
export async function openTemplateFiles(
  kit: Kit,
  read: TenantRead,
  channel: NamedChannel,
  { template, components }: { template: ApprovedTemplate; components: readonly GivenComponent[] },
): Promise<OpenedFiles> {
  const renewals: Renewals = new Map();
  try {
    const headers = await checkGiven(kit, read, { channel, template, given: components, path: 'components' });
    const stored = checkHeaders(channel, headers);
    const header = stored.own && { attachment: stored.own._id, media: describeFile(kit, stored.own) };
    const files = { ...makeOutboundFiles(kit, stored, { contentType: 'TEMPLATE' }), header, renewals };
    return { files, fault: null };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { files: { header: null, file: null, renewals }, fault: { code: error.code, message: error.message } };
  }
}

/** Gives the network the files that all messages show, so that no call waits for them. Returns why the messages cannot be sent. */
export async function uploadFiles(
  kit: Kit,
  { channel, credentials, company }: Sender,
  { files: { header, file, cards }, fault }: OpenedFiles,
): Promise<Fault | null> {
  if (fault) return fault;
  const named = header && { attachment: header.attachment };
  const failed = await uploadShared(kit, { channel, company, credentials, file, ...(cards && { cards }), ...named });
  return failed && { code: failed.code, message: failed.details || failed.message || failed.title };
}

/** A stored message and the person who gets it. */
export interface StoredTemplate {
  message: string;
  to: Identity;
  content: string | null;
  template: NonNullable<StoredSend['template']>;
}

/** Calls the network with a stored message. Never throws. */
export function callTemplate(
  kit: Kit,
  { channel, credentials, company }: Sender,
  { header, file, cards, renewals }: TemplateFiles,
  { message, to, content, template }: StoredTemplate,
): Promise<SendResult> {
  return callNetwork(kit, {
    channel,
    credentials,
    company,
    ...(header && { attachment: header.attachment }),
    renewals,
    outbound: {
      messageId: message,
      to: { names: [to] },
      content: { contentType: 'TEMPLATE', content, template },
      file,
      ...(cards && { cards }),
      replyTo: null,
      isAutomatic: true,
      isPaced: true,
    },
  });
}

/** Why the network refused a message for now; null for any other result. */
export function findOverload({ channel }: Sender, result: SendResult): Overload | null {
  return (result.outcome === 'rejected' && result.network && channel.findOverload?.(result.error.code)) || null;
}

/** Lets the number, its account, or a number and a person pause, after the network has refused messages because of rate limits. */
export async function holdOverloaded(
  tx: TenantTx,
  lane: Lane,
  refused: { again: Overload | 'stop' | null; person: string }[],
): Promise<void> {
  const scopes = new Set(refused.map(({ again }) => again));
  if (scopes.has('number')) await holdLane(tx, 'number', lane.number);
  if (scopes.has('account')) await holdLane(tx, 'account', lane.account);
  const pairs = refused.filter(({ again }) => again === 'pair').map(({ person }) => person);
  if (pairs.length > 0) await holdPairs(tx, lane, pairs);
}

/** A result for a message with which the network was not called. */
export const refuseCall = (message: string): SendResult => ({
  outcome: 'rejected',
  error: { code: 'PROVIDER_UNREACHABLE', title: 'Not sent', message, details: '' },
  network: false,
});

/** The form of a number that is equal for all its spellings. */
export const toPerson = (phone: string): string => PHONE_NUMBER.identify(phone).value;
