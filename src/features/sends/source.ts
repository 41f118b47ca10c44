/** What the sender has to know of those who send many templates at a pace: bulk runs and campaigns. */
import type { SendResult } from '../../channels/channel.ts';
import type { Identity } from '../../channels/identity.ts';
import type { Overload } from '../../channels/limits.ts';
import type { FilledTemplate } from '../../channels/templates/compose.ts';
import type { UnfilledTemplate } from '../../channels/templates/for-recipient.ts';
import type { Kit } from '../../kit.ts';
import type { Acting, TenantTx } from '../../platform/store/tenant.ts';
import type { Asking } from '../admission/admission.ts';
import type { Facts } from '../admission/recipient-sql.ts';
import type { Reached } from '../inboxes/portfolio.ts';
import type { StoredSend } from './schemas.ts';
import type { Sender, StoredTemplate, TemplateFiles } from './sender.ts';

/** Rows whose messages are to be sent now. */
export interface DueRows<C> {
  isEmpty: boolean;
  /** Those of their contacts that the company has already. */
  contacts: string[];
  /** The messages that wait to be sent again. */
  messages: string[];
  /** Reads the rows again when their conversations, contacts and messages are locked, and locks them. */
  lock(tx: TenantTx): Promise<C[]>;
}

/** A due row with everything that decides whether and what is sent. */
export interface Candidate extends StoredSend, Omit<Facts, 'name'> {
  /** Null for a person whom the company does not know yet. */
  contact: string | null;
  /** The name that the message is sent to; null when the network knows the contact by none. */
  to: Identity | null;
  /** The open conversation with the contact in the inbox. */
  conversation: string | null;
  /** The enrollment of a campaign, which its messages name. */
  enrollment?: string;
}

/** A row that gets no message, and why. */
export interface Refused<C> {
  row: C;
  code: string;
  message: string;
  /** True when a value of the template is missing or does not fit. */
  isUnfilled: boolean;
}

/** A message that the network is to be called with. */
export interface Call<C> extends StoredTemplate, Omit<Reached, 'person'> {
  row: C;
  contact: string;
  conversation: string;
}

/** A message that the network was called with. */
export interface Outcome<C> {
  call: Call<C>;
  result: SendResult;
  /** Why the message is sent later: a rate limit of the network, or a stop. Null when the message is not sent again. */
  again: Overload | 'stop' | null;
}

/** The part of a source that chooses: it changes nothing. */
export interface Planner<C extends Candidate> {
  asking(row: C): Asking;
  /** A rule that only this source has; it comes before the others. */
  findRefusal(row: C): { code: string; message: string } | null;
  /** Fills the template in with the values of the row. */
  fill(row: C): FilledTemplate | UnfilledTemplate;
}

/** What a source does to its rows in the sender's transactions. */
export interface SourceWrites<C> {
  /** Creates the contacts that the company does not have yet. Returns their ids in the same order. */
  createContacts?(tx: TenantTx, rows: C[]): Promise<string[]>;
  /** Names the campaign in conversations that were open already and get a new message, before their events are emitted. */
  mark?(tx: TenantTx, calls: Call<C>[]): Promise<unknown>;
  /** Ends rows that get nothing, with the messages that waited to be sent again. */
  refuse(tx: TenantTx, refused: Refused<C>[]): Promise<void>;
  /** Notes that the network may have got these messages from now on; `fresh` are those that are new. */
  noteCalls(tx: TenantTx, calls: Call<C>[], fresh: Call<C>[]): Promise<void>;
  /** Called last in the transaction of a portion, for what other transactions of the source wait for. May throw SourceLost. */
  finishPortion?(tx: TenantTx, refused: Refused<C>[]): Promise<void>;
  /** Notes the outcomes in the rows: those that `settleMessages` returns when it has settled and locked the messages. */
  settle(tx: TenantTx, outcomes: Outcome<C>[], settleMessages: () => Promise<Outcome<C>[]>): Promise<void>;
  /** Called last in the transaction that stores outcomes. */
  finishOutcomes?(tx: TenantTx, outcomes: Outcome<C>[]): Promise<void>;
}

export interface SendSource<C extends Candidate> extends Planner<C>, SourceWrites<C> {
  kit: Kit;
  acting: Acting;
  sender: Sender;
  /** The source in the log, for example `campaign <id>`. */
  name: string;
  /** The campaign, which its conversations name. */
  campaign: string | null;
  /** The pace of the source itself, which its messages keep beside that of the number; null when it has none. */
  pace: { name: string; rate: number } | null;
  /** Whom the conversations are assigned to: null leaves the choice to the inbox. */
  assignment: { owner: string | null; agent: string | null; attendant: string | null; keeps: boolean };
  /** What becomes of people for whom the daily limit has no place: a refusal, or the whole source waits. */
  beyondLimit: { code: string; message: string } | ((tx: TenantTx) => Promise<unknown>);
  /** Returns up to `most` rows that are due, and opens what they show. */
  listDue(most: number): Promise<DueRows<C>>;
  /** Keeps the source for this worker. Returns false when it may not send any more. */
  hold(tx: TenantTx): Promise<boolean>;
  files(row: C): { template: { name: string; language: string }; files: TemplateFiles };
  /** Whether messages whose calls have not begun are still to be sent. */
  isOpen?(): Promise<boolean>;
}

/** Another worker has the source, or its company is suspended, so this worker sends nothing more. */
export class SourceLost extends Error {
  constructor() {
    super('another worker has the messages, or their company is suspended');
    this.name = 'SourceLost';
  }
}
