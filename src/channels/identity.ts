/**
 * The names by which networks know people. Every name is of a kind, and a channel declares which kinds its network uses. The kinds that a
 * contact's record shows are declared here, because several channels share them; any other kind is declared in the folder of its channel.
 */
import { onlyDigits, phoneKey } from '../platform/values/phone.ts';
import { PHONE_WRITING } from '../platform/values/phone-text.ts';

/** One name of a person: a phone number, an e-mail address, an id of a network. */
export interface Identity {
  kind: string;
  /** The form that is equal for all spellings of the name. People are found by it. */
  value: string;
  /** The name as the network writes it. Messages are sent to it. */
  address: string;
}

/** A person as a network names them. */
export interface Person {
  /** The names by which the network knows the person, the most reliable first; empty when it names no one. */
  names: Identity[];
  /** The name for display, when the network sends one. It identifies no one. */
  displayName?: string;
  /**
   * The name that the person has chosen at the network, as readUsername returns it: null when the network says that there is none, absent
   * when it says nothing. It identifies no one, because it can pass to another person.
   */
  username?: string | null;
}

export interface IdentityKind {
  kind: string;
  /** The form in which a caller may write such a name, for example in an inbox's test numbers. */
  writing: RegExp;
  /** A name of this kind; the contract tests use it. */
  sample: string;
  identify: (text: string) => Identity;
}

interface GivenKind extends Pick<IdentityKind, 'kind' | 'writing' | 'sample'> {
  /** When one of these two functions is absent, the text itself is used. */
  toValue?: (text: string) => string;
  toAddress?: (text: string) => string;
}

const unchanged = (text: string): string => text;

export function declareIdentity({ toValue = unchanged, toAddress = unchanged, ...kind }: GivenKind): IdentityKind {
  return { ...kind, identify: (text) => ({ kind: kind.kind, value: toValue(text), address: toAddress(text) }) };
}

export const PHONE_NUMBER = declareIdentity({
  kind: 'PHONE',
  writing: PHONE_WRITING,
  sample: '+55 (11) 91234-5678',
  toValue: phoneKey,
  toAddress: onlyDigits,
});

export const EMAIL_ADDRESS = declareIdentity({
  kind: 'EMAIL',
  writing: /^[^\s@]+@[^\s@]+$/,
  sample: 'Ana.Sa@example.test',
  toValue: (text) => text.toLowerCase(),
});

/** The id of a person at a professional network. */
export const NETWORK_ID = declareIdentity({ kind: 'NETWORK', writing: /\S/, sample: 'ACoAAB1x2Y3z' });

/** The id that the platform gives to the browser of an anonymous visitor of a web chat. */
export const VISITOR = declareIdentity({
  kind: 'VISITOR',
  writing: /^[0-9a-f]{24}$/,
  sample: '65f0a1b2c3d4e5f60718293a',
});

/** The id of a person in the company's own systems. */
export const EXTERNAL_ID = declareIdentity({ kind: 'EXTERNAL', writing: /\S/, sample: 'customer-4711' });
