/** The port for the check whether a network accepts the credentials of an inbox. */
import type { FetchPosition } from './fetching.ts';

/**
 * Whether the network accepts the credentials of an inbox. `retry` is false when a person has to change the settings first. `start` is the end
 * of what the network keeps at this moment: what arrives after it is fetched. `account` is the network's account behind the inbox, null when there
 * is none, and absent when the network did not tell it.
 */
export type CheckResult =
  | { ok: true; coexistence: boolean | null; start?: FetchPosition; account?: string | null }
  | { ok: false; error: string; retry: boolean };

export interface Callback {
  /** The address that the network shall call; null makes the network forget an address that it got before. */
  url: string | null;
  /** The inbox's own token. The network shows it when it verifies the address, or in each call to a path of the inbox. */
  verifyToken: string;
}

/**
 * WAITING: someone has to scan the picture (a data URL) with the phone, or type the code into it; both are null until the network has made them ·
 * FAILED: the network gave no code. `error` is one sentence for people.
 */
export type Pairing =
  | { state: 'CONNECTED' }
  | { state: 'WAITING'; picture: string | null; code: string | null }
  | { state: 'FAILED'; error: string };

/** The network reports that it has lost or regained the inbox's phone. The platform then checks the inbox. */
export interface InboundConnection {
  kind: 'connection';
  address: string;
  timestamp: Date;
}
