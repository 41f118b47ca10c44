/**
 * OAuth clients: those that have registered themselves (RFC 7591), and those whose id is the address of a document that describes them
 * (client id metadata documents). All are public clients without a secret.
 */
import type { Kit } from '../../kit.ts';
import { parseForeignJson } from '../../platform/outside/foreign-json.ts';
import { addressShare } from '../../platform/http/limits.ts';
import { invalid } from '../../platform/values/errors.ts';
import { isId, newId } from '../../platform/values/ids.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { findClient, insertClient, trimClients, type RegisteredClient } from './client-queries.ts';
import { isRedirectUri } from './redirects.ts';

const MAX_REDIRECT_URIS = declareLimit(10, {
  topic: 'MCP',
  what: 'Redirect URIs of an OAuth client',
  beyond: '400',
});
const NAME_CHARACTERS = declareLimit(100, {
  topic: 'MCP',
  what: 'Name of an OAuth client',
  unit: 'characters',
  beyond: 'cut',
});
// Anybody can register clients, so those that nobody has connected must not fill the table.
export const MAX_UNUSED_CLIENTS = declareLimit(10_000, {
  topic: 'MCP',
  what: 'Registered OAuth clients that no user has connected',
  beyond: 'the oldest are removed',
});
const DOCUMENT_BYTES = declareLimit(16 * 1024, {
  topic: 'MCP',
  what: 'Client id metadata document',
  unit: 'bytes',
  beyond: '400',
});
const DOCUMENT_SECONDS = declareLimit(5, {
  topic: 'MCP',
  what: 'Fetching a client id metadata document',
  unit: 'seconds',
  beyond: '400',
});

export interface ClientDescription {
  name: string;
  redirect_uris: string[];
}

/** A description that cannot be accepted; `part` is its wrong part. */
export class ClientFault extends Error {
  override name = 'ClientFault';
  readonly part: 'redirect_uris' | 'client';
  constructor(part: ClientFault['part'], message: string) {
    super(message);
    this.part = part;
  }
}

/** Reads what a client says about itself. Characters that people do not see are removed from its name. */
function describeClient(given: unknown): ClientDescription {
  if (typeof given !== 'object' || given === null) throw new ClientFault('client', 'The description is not an object');
  const { redirect_uris: uris, client_name: name = '' } = given as Record<string, unknown>;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MAX_REDIRECT_URIS || !uris.every(isRedirectUri))
    throw new ClientFault(
      'redirect_uris',
      `redirect_uris must be 1 to ${MAX_REDIRECT_URIS} addresses with https, or with http and a loopback host`,
    );
  if (typeof name !== 'string') throw new ClientFault('client', 'client_name must be a text');
  const visible = name
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, NAME_CHARACTERS);
  return { name: visible.toWellFormed() || new URL(uris[0] ?? '').host, redirect_uris: uris };
}

export async function registerClient(
  kit: Kit,
  given: unknown,
  ip: string,
): Promise<RegisteredClient & { created_at: string }> {
  const client = { _id: newId(), ...describeClient(given) };
  return kit.database.systemTx(addressShare(ip), async (tx) => {
    await trimClients(tx, MAX_UNUSED_CLIENTS - 1);
    return { ...client, ...(await insertClient(tx, client)) };
  });
}

/** Finds a client by its id. Throws VALIDATION_FAILED for an unknown one. */
export async function expectClient(kit: Kit, company: string, id: string): Promise<ClientDescription> {
  if (id.startsWith('https://')) return fetchClient(kit, id);
  const client = isId(id) ? await findClient(kit.database.system(`company:${company}`), id) : null;
  if (!client) throw invalid('request', 'names an unknown client: connect the app again', 'UNKNOWN_CLIENT');
  return client;
}

async function fetchClient({ outbound }: Kit, id: string): Promise<ClientDescription> {
  const refuse = (why: string) => invalid('request', `names a client that cannot be read: ${why}`, 'CLIENT_UNREADABLE');
  if (!isRedirectUri(id) || new URL(id).href !== id || new URL(id).pathname === '/')
    throw refuse('its id is no address with a path');
  const signal = AbortSignal.timeout(DOCUMENT_SECONDS * 1_000);
  const headers = { accept: 'application/json' };
  const call = outbound.tenant({ method: 'GET', url: id, headers, signal, maxBytes: DOCUMENT_BYTES });
  // Failure policy: the user is told why the client cannot be read, and can try again.
  const answer = await call.catch((error: unknown) => Promise.reject(refuse((error as Error).message)));
  if (answer.status !== 200 || answer.truncated) throw refuse('its address does not answer with a short document');
  try {
    const given = parseForeignJson(answer.body) as { client_id?: unknown } | null;
    if (given?.client_id !== id) throw new ClientFault('client', 'The document has another client_id');
    return describeClient(given);
  } catch (error) {
    // Failure policy: the document is of somebody else, and whatever is wrong with it is the user's to know.
    throw refuse((error as Error).message);
  }
}
