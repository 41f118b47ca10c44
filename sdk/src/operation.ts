/** What the table of operations says about each, and the settings of the client and of one call. */

export interface Operation {
  method: string;
  /** The path, with each parameter in braces. */
  path: string;
  body?: 'json' | 'form';
  /** The operation has query parameters. */
  query?: true;
  /** The operation takes an Idempotency-Key. */
  key?: true;
  /** What a success answers; by default one JSON value. */
  answer?: 'list' | 'file' | 'stream';
}

export interface ClientOptions {
  /** Where the platform is, such as `https://chat.example.com`. A page of the platform itself gives `location.origin`. */
  url: string;
  /** An API key or the token of a user, or a function that returns it. Without it, a browser sends the cookie of its session. */
  token?: string | (() => string | Promise<string>) | undefined;
  /** The company that a global key acts for. */
  company?: string | undefined;
  /** How long one attempt may take: 60 s by default, and ten minutes for a form with a file. */
  timeoutMs?: number | undefined;
  /** For how long after its first failure a request is repeated, by default 60 s; 0 repeats nothing. */
  repeatForMs?: number | undefined;
  /** Replaces the global `fetch`, for example to use a proxy. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

export interface CallOptions {
  /** Ends the call; it then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /**
   * The Idempotency-Key of a POST that takes one; by default a new random one for each call. Give one that you have stored, so that even a
   * new process of yours does nothing twice.
   */
  idempotencyKey?: string | undefined;
  company?: string | undefined;
  timeoutMs?: number | undefined;
  repeatForMs?: number | undefined;
}

export interface StreamOptions {
  /** Ends the stream. */
  signal?: AbortSignal | undefined;
  company?: string | undefined;
  /** The id of an event that was handled; the stream goes on behind it. */
  lastEventId?: string | undefined;
  /** Called with true when the stream is connected, and with false when the connection was lost. */
  onConnection?: ((isConnected: boolean) => void) | undefined;
  /** Called when a connection was lost or could not be made, with the time until the next attempt. */
  onPause?: ((ms: number) => void) | undefined;
  /** A connection on which nothing arrives for this long counts as lost; by default 60 s. */
  idleMs?: number | undefined;
}
