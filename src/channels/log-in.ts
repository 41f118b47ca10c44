/** The port for networks where a person logs in at the network's own page, whose account the inbox then has. */

/** What a link is made for. */
export interface LogInRequest<Config> {
  /** The account of the inbox, which logs in again; null when the inbox has none yet. */
  config: Config | null;
  /** The platform's word for this log-in, which the network repeats in its notice. */
  token: string;
  /** Where the network tells that the log-in has ended. */
  noticeUrl: string;
  expiresAt: Date;
}

export type LogInLink =
  | { outcome: 'made'; url: string }
  | { outcome: 'refused'; error: { code: number | string; message: string }; network: boolean }
  | { outcome: 'unknown'; reason: string };

export interface LogInNotice {
  token: string;
  account: string;
  /** True when the account existed before this log-in. */
  isRenewed: boolean;
}

/** The account as the network describes it. `createdAt` is null when the network does not tell it. */
export interface LoggedIn<Config> {
  config: Config;
  createdAt: Date | null;
}

export interface HostedLogIn<Config = Record<string, unknown>> {
  /** Why this installation can make no link: a sentence for the caller. Null when it can. */
  missing: string | null;
  /** The path at which the network tells that a log-in has ended. Nothing but the token in its notices proves them. */
  path: `/hooks/${string}`;
  /** Never throws. */
  makeLink(request: LogInRequest<Config>, signal: AbortSignal): Promise<LogInLink>;
  /** Null for a body that tells of no account. */
  readNotice(body: unknown): LogInNotice | null;
  /** Reads the account from the network; null when the network does not have it. Throws when no answer came. */
  findAccount(account: string, signal: AbortSignal): Promise<LoggedIn<Config> | null>;
}
