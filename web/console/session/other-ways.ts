/** Log-ins without a password: with a passkey, or by the provider of the company. This file loads with the first press. */
import { isParleyError, type PasskeyAnswer, type PasskeyCreate, type PasskeyProof } from '@parley/sdk';
import { CONSOLE_PATH, parley } from '../client.ts';
import { readSession } from './session.ts';

const RETURN_KEY = 'parley.return';
const RETURN_PATH = '/single-sign-on';

/** Browsers make no passkeys for a bare IP address. */
export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^[\d.]+$|:/.test(location.hostname);

/** Lets the person choose a passkey. Throws a DOMException when none was chosen. */
export async function askForPasskey(): Promise<PasskeyAnswer> {
  const { options } = await parley.auth.beginPasskeyLogIn();
  const asked = options as unknown as PublicKeyCredentialRequestOptionsJSON;
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(asked);
  return toJson(await navigator.credentials.get({ publicKey }));
}

/** Lets the browser create a passkey. Throws a DOMException when the person has refused. */
export async function makePasskey(proof: PasskeyProof): Promise<PasskeyCreate['credential']> {
  const { options } = await parley.auth.beginPasskey(proof);
  const asked = options as unknown as PublicKeyCredentialCreationOptionsJSON;
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(asked);
  return toJson(await navigator.credentials.create({ publicKey }));
}

function toJson<T>(credential: Credential | null): T {
  if (!(credential instanceof PublicKeyCredential)) throw new DOMException('No passkey', 'NotAllowedError');
  return credential.toJSON() as T;
}

/** Runs a change of the own second factors. Asks for a passkey where one is the only second factor of the person. */
export async function withOwnPasskey<T>(act: (more: { passkey?: PasskeyAnswer }) => Promise<T>): Promise<T> {
  try {
    return await act({});
  } catch (error) {
    const asked = isParleyError(error) ? (error.problem?.errors ?? []) : [];
    const isOnlyWay = asked.length === 1 && asked[0]?.path === 'passkey' && asked[0].code === 'REQUIRED';
    if (!isOnlyWay) throw error;
    return act({ passkey: await askForPasskey() });
  }
}

/** Whether the person has closed the browser's question, or the device has no passkey for it. */
export const isNotChosen = (error: unknown): boolean => error instanceof DOMException;

/** Whether the device has refused to create a second passkey for the person. */
export const isKnownHere = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'InvalidStateError';

export async function logInByPasskey(): Promise<void> {
  await parley.auth.openSessionByPasskey({ passkey: await askForPasskey() });
  await readSession();
}

/** The company that a link to the console names, such as `/console?company=…`. */
export const findCompany = (): string | null => new URLSearchParams(location.search).get('company');

/** Leaves the page for the provider, and remembers where the person wanted to go. */
export async function goToProvider(asked: { email: string } | { company: string }): Promise<void> {
  const { redirect_to } = await parley.auth.beginSingleSignOn(asked);
  const { pathname, search, hash } = location;
  const path = pathname.slice(CONSOLE_PATH.length);
  if (path !== RETURN_PATH) sessionStorage.setItem(RETURN_KEY, `${path}${findCompany() === null ? search : ''}${hash}`);
  location.assign(redirect_to);
}

/** Takes the answer of the provider out of the address, so that the history does not have it. */
export function takeAnswer(): string | null {
  const query = location.search.slice(1);
  if (query !== '') history.replaceState(history.state, '', location.pathname);
  return query === '' ? null : query;
}

/** Returns the path below the console at which the log-in began. */
export function takeReturnPath(): string {
  const path = sessionStorage.getItem(RETURN_KEY) ?? '';
  sessionStorage.removeItem(RETURN_KEY);
  return path.startsWith('/') && !path.startsWith('//') ? path : '/';
}

/** Why the log-in has failed; null for any other error. */
export const findReason = (error: unknown): string | null =>
  isParleyError(error) && error.code === 'SINGLE_SIGN_ON_FAILED' ? (error.problem?.errors[0]?.code ?? null) : null;
