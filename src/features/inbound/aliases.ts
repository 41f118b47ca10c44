/** Finds our messages that a network names by an id of its own. */
import type { SystemTx } from '../../platform/store/tenant.ts';
import { findByAliases, type AliasKey } from '../messages/ingest-queries.ts';
import type { ArrivedMessage, ArrivedReport } from './batch.ts';

const nameAlias = ({ inbox, alias }: Pick<AliasKey, 'inbox' | 'alias'>): string => `${inbox} ${alias}`;

/** Returns a function that finds the message of an alias. */
async function lookUp(tx: SystemTx, keys: AliasKey[]) {
  const found = keys.length > 0 ? await findByAliases(tx, keys) : [];
  const byName = new Map(found.map((each) => [nameAlias(each), each]));
  return (inbox: string, alias: string) => byName.get(nameAlias({ inbox, alias }));
}

/** Lets the messages answer the messages of ours that they name by an alias. */
export async function resolveAnswers(tx: SystemTx, arrivals: ArrivedMessage[]): Promise<ArrivedMessage[]> {
  const keys = arrivals.flatMap(({ receiver: { company, inbox }, message: { replyToAlias: alias } }) =>
    alias === undefined ? [] : [{ company, inbox, alias }],
  );
  const find = await lookUp(tx, keys);
  return arrivals.map((arrival) => {
    const { replyToAlias } = arrival.message;
    const answered = replyToAlias === undefined ? undefined : find(arrival.receiver.inbox, replyToAlias);
    return answered ? { ...arrival, message: { ...arrival.message, replyTo: answered.external_id } } : arrival;
  });
}

/** Finds the messages of the reports that name them by an alias alone. */
export async function resolveReported(tx: SystemTx, reports: ArrivedReport[]): Promise<ArrivedReport[]> {
  const keys = reports.flatMap(({ receiver: { company, inbox }, report: { own, aliases } }) =>
    own ? [] : aliases.map((alias) => ({ company, inbox, alias })),
  );
  const find = await lookUp(tx, keys);
  return reports.map((arrived) => {
    const { receiver, report } = arrived;
    if (report.own) return arrived;
    const [message] = report.aliases.flatMap((alias) => find(receiver.inbox, alias) ?? []);
    const own = message ? { messageId: message._id, externalId: message.external_id } : null;
    return { ...arrived, report: { ...report, own } };
  });
}
