/** How a call is recognised as one of the network. */

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
