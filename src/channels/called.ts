/** How a channel handles the calls of its network, and how a call is recognised as one. */
import type { IncomingHttpHeaders } from 'node:http';

/** Checks the signature of a body while its bytes arrive. */
export interface SignatureCheck {
  add(bytes: Buffer): void;
  /** Whether the signature fits; called after the last bytes. */
  holds(): boolean;
}

/** The values by which the network of an inbox proves its calls: a secret in the settings, or the token that it got with the address. */
export interface CalledInbox<Config = Record<string, unknown>> {
  config: Config;
  verifyToken: string;
}

/** How a channel handles the calls of its network to one inbox, each of which has a path of its own. */
export interface InboxCallbacks<Element, Config = Record<string, unknown>> {
  /** The beginning of the path; a slash and the inbox's id follow. */
  path: `/hooks/${string}`;
  /** Starts the check of a signature or a secret before the body arrives; null when the headers have none. */
  beginCheck(headers: IncomingHttpHeaders, inbox: CalledInbox<Config>): SignatureCheck | null;
  /** Whether a body may have files in it, found without parsing megabytes. It is kept for a day, and `extractFile` takes the files out of it. */
  mayCarryFiles?(raw: Buffer): boolean;
  /**
   * Yields the elements of a callback, as Callbacks does. They belong to the inbox of the path, whatever address they have. `item` names a body that
   * is kept: the id of a file in it is this name, a point, and how `extractFile` knows the file.
   */
  parse(body: unknown, config: Config, item: string | null): Iterable<Element | null>;
}

/** How a network verifies that a path is ours. It shows a token, and is answered with its challenge. */
export interface Handshake {
  /** The token that the operator has told the network; null when there is none. Each inbox has another one, which is accepted as well. */
  token: string | null;
  /** The parameter of the request that has the token, as a refusal names it. */
  parameter: string;
  /** Null for a request that is no handshake. */
  read(query: Record<string, unknown>): { token: string; challenge: string } | null;
}

/** How a channel handles the calls of its network, which all arrive at one path of the installation. */
export interface Callbacks<Element> {
  path: `/hooks/${string}`;
  /** True when `check` tells the network this path; the operator does so on other networks. */
  isTold?: true;
  /** How the network verifies by a GET request that the path is ours; absent on networks that do not. */
  handshake?: Handshake;
  /** Starts the check of a signature before the body arrives; null when the headers have no usable signature. */
  beginCheck(headers: IncomingHttpHeaders): SignatureCheck | null;
  /** The address of the first inbox in a callback, found without parsing megabytes; empty when there is none. */
  firstAddress(raw: Buffer): string;
  /**
   * Yields the elements of a callback: every entry, change, message and status. A part that the platform ignores yields null, so that the
   * caller can pause even while a long series of parts is ignored. Never throws on a parsed JSON value.
   */
  parse(body: unknown): Iterable<Element | null>;
}
