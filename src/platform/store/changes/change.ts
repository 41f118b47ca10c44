/** The types of the change feed: what is announced, and who receives it. */
export type ChangeKind = 'CONTACT' | 'CONVERSATION' | 'MESSAGE' | 'ATTACHMENT' | 'RUN';

/** Records of one company that were created, changed or deleted. */
export interface Change {
  company: string;
  kind: ChangeKind;
  /** The changed records; null when there are too many to list. */
  ids: string[] | null;
}

/** Something that happens in a company and is stored nowhere, such as somebody who types. It may be lost. */
export interface Signal {
  company: string;
  data: unknown;
}

/** Receives the changes of one company. Its functions must not throw. */
export interface Follower {
  changed(changes: Change[]): void;
  signalled?(data: unknown): void;
  /** Called when changes may have been lost, so that the follower reads its records anew from the database. */
  missed(): void;
  /** Called when the process stops; no more changes follow. */
  ended(): void;
}
