/** Fetches a file that a contact sent: the network names an address for the id of the file, and serves the file there for five minutes. */
import { explainFetchFailure, type FetchResult, type WantedFile } from '../content.ts';
import type { OutboundStream } from '../../platform/outside/outbound-stream.ts';
import { createGraph, describeFailure, type Graph, type GraphAccess } from './graph.ts';
import type { WapConfig } from './settings.ts';
import { asLabel, asNumber, asText, type Json } from '../values.ts';
import { declareLimit } from '../../platform/values/limits.ts';

export type FileFetcher = (wanted: WantedFile, config: WapConfig, signal: AbortSignal) => Promise<FetchResult>;

type Missing = Exclude<FetchResult, { outcome: 'found' }>;

/** The hosts from which the network serves files. The token of the inbox is sent to no other host. */
const FILE_HOSTS = /^(?:lookaside\.fbsbx\.com|(?:[a-z0-9-]+\.)+(?:fbcdn\.net|whatsapp\.net))$/;
/**
 * The error codes after which another request for the file is useless: its id is unknown or has expired (33, 100), or the network could not
 * fetch the file from the contact's phone (131052).
 */
const GONE_CODES: readonly (number | string)[] = [33, 100, 131052];
/**
 * An expired address is requested again once. A new address is used right away, so when it has expired as well, further ones would not help.
 */
const ADDRESSES = 2;
/** The most redirects between the servers for files; more than one has never been seen. */
const MAX_REDIRECTS = declareLimit(2, {
  topic: 'Networks',
  what: 'Redirects of a file from WhatsApp (other calls follow none)',
  beyond: 'the attempt fails',
});

const gone = (reason: string): Missing => ({ outcome: 'gone', reason });
const failed = (reason: string): Missing => ({ outcome: 'failed', reason });
const NOT_THE_NETWORKS = gone('The network gave an address for the file that is not its own.');

export function createFileFetcher(network: GraphAccess): FileFetcher {
  const graph = createGraph(network);
  return async (wanted, config, signal) => {
    try {
      return await fetchFile({ network, graph, wanted, config, signal });
    } catch (error) {
      // Failure policy: the call is over, and a later try may find the network in a better state.
      return explainFetchFailure(error);
    }
  };
}

interface Fetching {
  network: GraphAccess;
  graph: Graph;
  wanted: WantedFile;
  config: WapConfig;
  signal: AbortSignal;
}

async function fetchFile(fetching: Fetching): Promise<FetchResult> {
  const { media, maxBytes } = fetching.wanted;
  if (media.networkId === null) return gone('The network gave the file no id.');
  for (let addresses = 1; ; addresses += 1) {
    const named = await describeFile(fetching, media.networkId);
    if ('outcome' in named) return named;
    const { described } = named;
    const bytes = readSize(described.file_size) ?? media.size;
    if (bytes !== null && bytes > maxBytes)
      return gone(`The file has ${bytes} bytes; at most ${maxBytes} are accepted.`);
    const answer = await openAddress(fetching, asText(described.url) ?? '');
    if ('outcome' in answer) return answer;
    const { status, body } = answer;
    if (status === 200) {
      const mimeType = bareMimeType(asLabel(described.mime_type) ?? media.mimeType);
      return { outcome: 'found', body, mimeType, bytes, sha256: toHex(asText(described.sha256) ?? media.sha256) };
    }
    body.destroy();
    const isExpired = status === 404 || status === 410;
    if (!isExpired || addresses === ADDRESSES) return failed(`The network answered ${status} instead of the file.`);
  }
}

/** Returns the network's description of the file, with a new download address. */
async function describeFile({ graph, config, signal }: Fetching, id: string): Promise<{ described: Json } | Missing> {
  const query = { phone_number_id: config.phone_number_id };
  const answer = await graph({ method: 'GET', path: [id], query, token: config.business_token, signal });
  if (answer.outcome === 'done') return { described: answer.body };
  const isGone = answer.outcome === 'refused' && answer.network && GONE_CODES.includes(answer.error.code);
  return { outcome: isGone ? 'gone' : 'failed', reason: describeFailure(answer) };
}

/** Calls the address of the file, and the addresses to which it redirects, as long as they are the network's own. */
async function openAddress(fetching: Fetching, address: string): Promise<OutboundStream | Missing> {
  const { network, config, wanted, signal } = fetching;
  let url = URL.parse(address);
  for (let redirects = 0; url !== null; redirects += 1) {
    const owner = findOwner(url, network.graphUrl);
    if (owner === null) return NOT_THE_NETWORKS;
    // The address guard stays on for the hosts on the Internet: their names must not lead to an inner address.
    const open = owner === 'operator' ? network.outbound.streamOperator : network.outbound.streamTenant;
    const headers = { authorization: `Bearer ${config.business_token}` };
    const answer = await open({ method: 'GET', url: url.href, headers, signal, maxBytes: wanted.maxBytes });
    const { location } = answer.headers;
    if (answer.status < 300 || answer.status >= 400 || location === undefined) return answer;
    answer.body.destroy();
    if (redirects === MAX_REDIRECTS) return failed('The network redirected the call too many times.');
    url = URL.parse(location, url);
  }
  return failed('The network gave no usable address for the file.');
}

/**
 * Returns who chose the host of an address: the operator, when it is the server of the Graph API, or the network; null for any other
 * address.
 */
export function findOwner(url: URL, graphUrl: string): 'operator' | 'network' | null {
  if (url.username !== '' || url.password !== '') return null;
  if (url.origin === new URL(graphUrl).origin) return 'operator';
  return url.protocol === 'https:' && url.port === '' && FILE_HOSTS.test(url.hostname) ? 'network' : null;
}

function readSize(value: unknown): number | null {
  const size = asNumber(value);
  return size !== null && Number.isSafeInteger(size) && size >= 0 ? size : null;
}

/** Returns a media type without its parameters, such as the codecs. */
const bareMimeType = (mimeType: string | null): string | null =>
  mimeType?.replace(/;.*$/, '').trim().toLowerCase() || null;

/** Reads a hash, which the network writes in hex in its answers and in base64 in its notifications; null for any other text. */
function toHex(hash: string | null): string | null {
  if (hash === null) return null;
  if (/^[0-9a-f]{64}$/i.test(hash)) return hash.toLowerCase();
  const bytes = Buffer.from(hash, 'base64');
  return bytes.length === 32 ? bytes.toString('hex') : null;
}
