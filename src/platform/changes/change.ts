/** What the change feed announces, and to whom. */
export type ChangeKind = 'CONTACT' | 'CONVERSATION' | 'MESSAGE' | 'IMPORT';

/** Records of one company that were created, changed or deleted. */
export interface Change {
  company: string;
  kind: ChangeKind;
  /** Null when there are too many to name. */
  ids: string[] | null;
}

/** Functions of a follower must not throw. */
export interface Follower {
  changed(changes: Change[]): void;
  /** Changes may have been lost, so the follower has to compare with the store. */
  missed(): void;
  /** The process stops, and no more changes will follow. */
  ended(): void;
}
