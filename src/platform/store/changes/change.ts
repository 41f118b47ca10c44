/** The types of the change feed: what is announced, and who receives it. */

/** Something that happens in a company and is stored nowhere, such as somebody who types. It may be lost. */
export interface Signal {
  company: string;
  data: unknown;
}

/** Learns that records of one company may have changed. Its functions must not throw. */
export interface Follower {
  changed(): void;
  signalled?(data: unknown): void;
  /** Called when the process stops; no more changes follow. */
  ended(): void;
}
