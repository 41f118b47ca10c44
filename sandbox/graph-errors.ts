import { randomBytes } from 'node:crypto';
import type { Answer } from './exchange.ts';

/** An error of the Graph API; operations return it, and `makeErrorAnswer` writes it. */
export type GraphFailure = {
  code: number;
  message?: string;
  details?: string;
  subcode?: number;
  httpStatus?: number;
  type?: string;
};

type ErrorKind = { status: number; title: string };

// Status and title of each error code, as the Cloud API documents them. Other codes are answered 400.
const KINDS: Record<number, ErrorKind> = {
  1: { status: 400, title: 'API Unknown' },
  2: { status: 503, title: 'API Service' },
  3: { status: 403, title: 'API Method' },
  4: { status: 429, title: 'API Too Many Calls' },
  10: { status: 403, title: 'Permission Denied' },
  33: { status: 400, title: 'Parameter value is not valid' },
  100: { status: 400, title: 'Invalid parameter' },
  104: { status: 401, title: 'An access token is required to request this resource.' },
  190: { status: 401, title: 'Invalid OAuth access token - Cannot parse access token' },
  200: { status: 403, title: 'API Permission' },
  368: { status: 403, title: 'Temporarily blocked for policies violations' },
  2200: { status: 400, title: 'Callback verification failed' },
  80007: { status: 429, title: 'Rate limit issues' },
  130429: { status: 429, title: 'Rate limit hit' },
  130472: { status: 400, title: "User's number is part of an experiment" },
  130497: { status: 403, title: 'Business account is restricted from messaging users in this country' },
  131000: { status: 500, title: 'Something went wrong' },
  131005: { status: 403, title: 'Access denied' },
  131008: { status: 400, title: 'Required parameter is missing' },
  131009: { status: 400, title: 'Parameter value is not valid' },
  131016: { status: 500, title: 'Service unavailable' },
  131021: { status: 400, title: 'Recipient cannot be sender' },
  131026: { status: 400, title: 'Message undeliverable' },
  131030: { status: 400, title: 'Recipient phone number not in allowed list' },
  131031: { status: 403, title: 'Account has been locked' },
  131042: { status: 400, title: 'Business eligibility payment issue' },
  131047: { status: 400, title: 'Re-engagement message' },
  131048: { status: 429, title: 'Spam rate limit hit' },
  131049: { status: 400, title: 'This message was not delivered to maintain healthy ecosystem engagement' },
  131050: { status: 400, title: 'User has stopped marketing messages' },
  131051: { status: 400, title: 'Unsupported message type' },
  131052: { status: 400, title: 'Media download error' },
  131053: { status: 400, title: 'Media upload error' },
  131056: { status: 429, title: '(Business Account, Consumer Account) pair rate limit hit' },
  131057: { status: 500, title: 'Account in maintenance mode' },
  132000: { status: 400, title: 'Number of parameters does not match the expected number of params' },
  132001: { status: 404, title: 'Template name does not exist in the translation' },
  132005: { status: 400, title: 'Translated text too long' },
  132007: { status: 400, title: 'Template content policy violation' },
  132012: { status: 400, title: 'Parameter format does not match format in the created template' },
  132015: { status: 400, title: 'Template is paused' },
  132016: { status: 400, title: 'Template is disabled' },
  133004: { status: 503, title: 'Server temporarily unavailable' },
  133010: { status: 400, title: 'Phone number not registered' },
};

/** The network's title of an error code, or a general one for a code that is not in the table. */
export const findErrorTitle = (code: number): string => KINDS[code]?.title ?? 'Generic error';

/** Makes the answer `{error: {message, type, code, error_subcode?, error_data?, fbtrace_id}}` with the network's HTTP status. */
export function makeErrorAnswer(failure: GraphFailure): Answer {
  const { code, details, subcode } = failure;
  const error = {
    message: failure.message ?? `(#${code}) ${findErrorTitle(code)}`,
    type: failure.type ?? 'OAuthException',
    code,
    ...(subcode === undefined ? {} : { error_subcode: subcode }),
    ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
    fbtrace_id: randomBytes(9).toString('base64url'),
  };
  const headers = code === 104 || code === 190 ? { 'www-authenticate': 'OAuth "Facebook Platform"' } : {};
  return { status: failure.httpStatus ?? KINDS[code]?.status ?? 400, body: { error }, headers };
}

/** Makes the network's error for an id that does not exist or belongs to another token: code 100 with subcode 33. */
export const makeUnknownObjectFailure = (method: string, id: string): GraphFailure => ({
  code: 100,
  subcode: 33,
  type: 'GraphMethodException',
  message:
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to ` +
    'missing permissions, or does not support this operation.',
});
