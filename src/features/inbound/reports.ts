/** Decides what becomes of the reports of servers about our messages. */
import type { InboundReport, InboundUnreadable, NetworkError } from '../../channels/channel.ts';
import type { NamedChannel } from '../../channels/registry.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';
import type { OptOutWish } from '../contacts/ingest-wishes.ts';
import type { Receiver } from '../inboxes/ingest-queries.ts';
import { findReported } from '../messages/ingest-queries.ts';
import type { StatusNews } from '../messages/ingest.ts';
import { resolveReported } from './aliases.ts';
import { messageTime, type ArrivedMessage, type ArrivedReport } from './batch.ts';

export interface ResolvedReports {
  news: StatusNews[];
  wishes: OptOutWish[];
  /** The mails whose reports are about no message that the inbox sent to the named recipient. */
  arrivals: ArrivedMessage[];
  /** Such mails that no one could have sent. */
  unreadable: { receiver: Receiver; unreadable: InboundUnreadable }[];
}

export async function resolveReports(tx: SystemTx, reports: ArrivedReport[]): Promise<ResolvedReports> {
  const resolved: ResolvedReports = { news: [], wishes: [], arrivals: [], unreadable: [] };
  if (reports.length === 0) return resolved;
  const arrived = await resolveReported(tx, reports);
  const found = await findReported(
    tx,
    arrived.map(({ receiver: { company, inbox }, report }) => ({
      company,
      inbox,
      message: report.own?.messageId ?? '',
      recipients: report.recipients,
    })),
  );
  const contacts = new Map(found.map(({ place, contact }) => [place, contact]));
  for (const [place, { receiver, channel, report }] of arrived.entries()) {
    const contact = contacts.get(place);
    if (contact === undefined || report.own === null)
      for (const element of report.mail)
        if (element.kind === 'message') resolved.arrivals.push({ receiver, channel, message: element });
        else resolved.unreadable.push({ receiver, unreadable: element });
    else if (report.errors === null) resolved.wishes.push(toWish(receiver, report, contact));
    else resolved.news.push(toFailure(receiver, channel, report.own, { ...report, errors: report.errors }));
  }
  return resolved;
}

const toWish = ({ company }: Receiver, report: InboundReport, contact: string): OptOutWish => ({
  company,
  contact,
  person: { names: [] },
  optedOut: true,
  at: messageTime(report),
});

const toFailure = (
  { company, inbox }: Receiver,
  { can }: NamedChannel,
  { messageId, externalId }: NonNullable<InboundReport['own']>,
  report: InboundReport & { errors: NetworkError[] },
): StatusNews => ({
  company,
  inbox,
  external_id: externalId,
  message: messageId,
  status: 'FAILED',
  at: messageTime(report),
  errors: report.errors,
  reportsFailures: can.reportsFailures,
  failure_reason: null,
});
