/**
 * Forged tokens. Most are a real user's token, signed with the right secret and wrong in one detail, so that only the rule about that
 * detail can refuse them. A forged API key has a stored record with its hash, so that it is not refused earlier as unknown.
 */
import { createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { newId } from '../../../src/platform/values/ids.ts';
import type { Json } from '../../support/platform.ts';

export interface TokenParts {
  token: string;
  header: Json;
  claims: Json;
}

/** The secrets and tokens that a forger knows in the worst case. */
export interface ForgerKnowledge {
  secret: string;
  previous: string;
  /** The key id of the previous secret. */
  previousKid: string;
  user: TokenParts;
  key: TokenParts;
  global: TokenParts;
  /** Ids of another company, of its user and its key. */
  other: { company: string; user: string; key: string };
}

/** The parts of a request that carry a forged token. */
export interface ForgeryRequest {
  /** The values of the Authorization header; each item is sent as a header of its own. */
  authorization?: string[];
  headers?: Record<string, string>;
  query?: string;
  body?: object;
  /** A row of api_keys with the hash of this token. */
  record?: KeyRecord;
}

export interface KeyRecord {
  token: string;
  _id: string;
  company: string | null;
  revoked?: boolean;
  expired?: boolean;
}

export interface Forgery {
  name: string;
  family: string;
  make(given: ForgerKnowledge): ForgeryRequest;
}

const encode = (part: string | Buffer): string => Buffer.from(part).toString('base64url');
/** A text is used unchanged, because some forgeries need JSON that JSON.stringify never writes. */
const partText = (part: Json): string => (typeof part === 'string' ? part : JSON.stringify(part));

/** Signs a token of these parts, whether they are valid or not. */
export function signParts(header: Json, claims: Json, secret: string | Buffer, hash = 'sha256'): string {
  const signed = `${encode(partText(header))}.${encode(partText(claims))}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

export function splitToken(token: string): TokenParts {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { token, header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') };
}

const toBearerRequest = (token: string): ForgeryRequest => ({ authorization: [`Bearer ${token}`] });
const nowSeconds = (): number => Math.floor(Date.now() / 1_000);
const HOUR = 3_600;

type MakeToken = (given: ForgerKnowledge) => string;

/** Makes a group of similar forgeries; each row makes one token. */
function makeFamily(name: string, rows: Record<string, MakeToken>): Forgery[] {
  return Object.entries(rows).map(([row, make]) => ({
    name: row,
    family: name,
    make: (given) => toBearerRequest(make(given)),
  }));
}

/** Changes the header of a real user's token and signs it with the right secret. */
const changeHeader =
  (change: object): MakeToken =>
  ({ user, secret }) =>
    signParts({ ...user.header, ...change }, user.claims, secret);

/** Changes the claims of a real user's token and signs it with the right secret; a claim that is undefined is left out. */
const changeClaims =
  (change: object | ((given: ForgerKnowledge) => object)): MakeToken =>
  (given) =>
    signParts(
      given.user.header,
      { ...given.user.claims, ...(typeof change === 'function' ? change(given) : change) },
      given.secret,
    );

/** Changes the text of the claims of a real user's token and signs it with the right secret. */
const changeClaimsText =
  (change: (text: string, given: ForgerKnowledge) => string): MakeToken =>
  (given) =>
    signParts(given.user.header, change(JSON.stringify(given.user.claims), given), given.secret);

const changeHeaderText =
  (change: (text: string) => string): MakeToken =>
  ({ user, secret }) =>
    signParts(change(JSON.stringify(user.header)), user.claims, secret);

const spliceToken =
  (change: (header: string, payload: string, signature: string, given: ForgerKnowledge) => string): MakeToken =>
  (given) => {
    const [header = '', payload = '', signature = ''] = given.user.token.split('.');
    return change(header, payload, signature, given);
  };

const keyPairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
type Asymmetric = keyof typeof keyPairs;
const exportPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' });

/** Signs a token correctly with the forger's own key, which the header contains. */
const signWithOwnKey =
  (alg: Asymmetric): MakeToken =>
  ({ user }) => {
    const { privateKey, publicKey } = keyPairs[alg];
    const header = { ...user.header, alg, jwk: publicKey.export({ format: 'jwk' }) };
    const signed = `${encode(partText(header))}.${encode(partText(user.claims))}`;
    const key = alg === 'ES256' ? ({ key: privateKey, dsaEncoding: 'ieee-p1363' } as const) : privateKey;
    const signature = sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(signed), key);
    return `${signed}.${encode(signature)}`;
  };

const removeSignature =
  (alg: unknown): MakeToken =>
  ({ user }) =>
    `${encode(partText({ ...user.header, alg }))}.${encode(partText(user.claims))}.`;

const UNSIGNED = makeFamily('unsigned', {
  'alg none': removeSignature('none'),
  'alg None': removeSignature('None'),
  'alg NONE': removeSignature('NONE'),
  'alg nOnE': removeSignature('nOnE'),
  'alg none with a blank': removeSignature('none '),
  'alg empty': removeSignature(''),
  'alg null': removeSignature(null),
  'alg missing, no signature': removeSignature(undefined),
  'HS256 and no signature': removeSignature('HS256'),
  'alg none, well signed': changeHeader({ alg: 'none' }),
  'two parts only': spliceToken((header, payload) => `${header}.${payload}`),
  'a signature of zeros': spliceToken((header, payload) => `${header}.${payload}.${encode(Buffer.alloc(32))}`),
});

const ALGORITHM = makeFamily('algorithm', {
  HS384: ({ user, secret }) => signParts({ ...user.header, alg: 'HS384' }, user.claims, secret, 'sha384'),
  HS512: ({ user, secret }) => signParts({ ...user.header, alg: 'HS512' }, user.claims, secret, 'sha512'),
  'HS256 in small letters': changeHeader({ alg: 'hs256' }),
  'HS256 with a blank': changeHeader({ alg: 'HS256 ' }),
  'HS256 with a NUL': changeHeader({ alg: 'HS256\0' }),
  'a list of algorithms': changeHeader({ alg: ['HS256'] }),
  'alg is a number': changeHeader({ alg: 256 }),
  'alg is an object': changeHeader({ alg: { name: 'HS256' } }),
  'alg is true': changeHeader({ alg: true }),
  'alg missing, well signed': changeHeader({ alg: undefined }),
  'alg under another name': changeHeaderText((text) => text.replace('"alg"', '"Alg"')),
  'SHA-512 under the name of HS256': ({ user, secret }) => signParts(user.header, user.claims, secret, 'sha512'),
});

const CONFUSION = makeFamily('confusion', {
  'RS256, our secret as HMAC key': changeHeader({ alg: 'RS256' }),
  'ES256, our secret as HMAC key': changeHeader({ alg: 'ES256' }),
  'PS256, our secret as HMAC key': changeHeader({ alg: 'PS256' }),
  'EdDSA, our secret as HMAC key': changeHeader({ alg: 'EdDSA' }),
  'RS256, signed with its own key': signWithOwnKey('RS256'),
  'ES256, signed with its own key': signWithOwnKey('ES256'),
  'EdDSA, signed with its own key': signWithOwnKey('EdDSA'),
  'HS256, a public RSA key as secret': ({ user }) =>
    signParts(user.header, user.claims, exportPem(keyPairs.RS256.publicKey)),
  'HS256, a public EC key as secret': ({ user }) =>
    signParts(user.header, user.claims, exportPem(keyPairs.ES256.publicKey)),
  'HS256, an empty secret': ({ user }) => signParts(user.header, user.claims, ''),
  'HS256, the word secret': ({ user }) => signParts(user.header, user.claims, 'secret'),
  'HS256, the kid as secret': ({ user }) => signParts(user.header, user.claims, user.header.kid),
  'HS256, the issuer as secret': ({ user }) => signParts(user.header, user.claims, user.claims.iss),
  'HS256, our secret and a line break': ({ user, secret }) => signParts(user.header, user.claims, `${secret}\n`),
  'HS256, our secret decoded': ({ user, secret }) =>
    signParts(user.header, user.claims, Buffer.from(secret, 'base64url')),
  'HS256, a secret of zeros': ({ user }) => signParts(user.header, user.claims, Buffer.alloc(32)),
});

const forgersKey = { kty: 'oct', k: encode('a key of the forger himself'), alg: 'HS256' };

const HEADER = makeFamily('header', {
  jwk: changeHeader({ jwk: forgersKey }),
  'jwk, signed with it': ({ user }) =>
    signParts({ ...user.header, jwk: forgersKey }, user.claims, 'a key of the forger himself'),
  jku: changeHeader({ jku: 'http://127.0.0.1:9/keys.json' }),
  x5u: changeHeader({ x5u: 'http://127.0.0.1:9/chain.pem' }),
  x5c: changeHeader({ x5c: [encode('certificate')] }),
  x5t: changeHeader({ x5t: encode('thumb') }),
  'x5t#S256': changeHeader({ 'x5t#S256': encode('thumb') }),
  'crit, empty': changeHeader({ crit: [] }),
  'crit of a known claim': changeHeader({ crit: ['exp'], exp: 1 }),
  'crit of an unknown one': changeHeader({ crit: ['x'], x: 1 }),
  'b64 false': changeHeader({ b64: false }),
  'b64 false, critical': changeHeader({ b64: false, crit: ['b64'] }),
  'b64 true': changeHeader({ b64: true }),
  'b64 false, payload as it is': ({ user, secret }) => {
    const header = encode(partText({ ...user.header, b64: false, crit: ['b64'] }));
    const payload = partText(user.claims).replaceAll('.', '');
    return `${header}.${payload}.${createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')}`;
  },
  zip: changeHeader({ zip: 'DEF' }),
  enc: changeHeader({ enc: 'A256GCM' }),
  cty: changeHeader({ cty: 'JWT' }),
  p2c: changeHeader({ p2c: 1_000_000_000, p2s: 'AA' }),
  'a parameter of its own': changeHeader({ x: 1 }),
  'an empty parameter': changeHeader({ '': '' }),
  'a prototype': changeHeaderText((text) => text.replace('{', '{"__proto__":{"alg":"HS256"},')),
  'claims in the header': changeHeader({ iss: 'parley', aud: 'parley' }),
  'typ missing': changeHeader({ typ: undefined }),
  'typ in small letters': changeHeader({ typ: 'jwt' }),
  'typ of another kind': changeHeader({ typ: 'at+jwt' }),
  'typ null': changeHeader({ typ: null }),
  'typ is a list': changeHeader({ typ: ['JWT'] }),
  'a list': ({ user, secret }) => signParts([user.header], user.claims, secret),
  'a text': ({ user, secret }) => signParts('"HS256"', user.claims, secret),
  null: ({ user, secret }) => signParts('null', user.claims, secret),
  empty: ({ user, secret }) => signParts('', user.claims, secret),
  'no members': ({ user, secret }) => signParts({}, user.claims, secret),
});

const KID = makeFamily('kid', {
  missing: changeHeader({ kid: undefined }),
  null: changeHeader({ kid: null }),
  empty: changeHeader({ kid: '' }),
  'empty, signed with nothing': ({ user }) => signParts({ ...user.header, kid: '' }, user.claims, ''),
  'a list': ({ user, secret }) => signParts({ ...user.header, kid: [user.header.kid] }, user.claims, secret),
  'a number': changeHeader({ kid: 1 }),
  'an object': changeHeader({ kid: { length: 8 } }),
  'a path': ({ user }) => signParts({ ...user.header, kid: '../../../../../../dev/null' }, user.claims, ''),
  'an address': changeHeader({ kid: 'http://127.0.0.1:9/key' }),
  SQL: changeHeader({ kid: `' or '1'='1` }),
  'SQL that brings a key': ({ user }) =>
    signParts({ ...user.header, kid: `x' union select 'key' --` }, user.claims, 'key'),
  'a command': changeHeader({ kid: '$(id)' }),
  unknown: changeHeader({ kid: 'deadbeef' }),
  'the name of a method': changeHeader({ kid: 'constructor' }),
  'a prototype': changeHeader({ kid: '__proto__' }),
  'longer by a letter': ({ user, secret }) =>
    signParts({ ...user.header, kid: `${user.header.kid}0` }, user.claims, secret),
  'longer by a NUL': ({ user, secret }) =>
    signParts({ ...user.header, kid: `${user.header.kid}\0` }, user.claims, secret),
  'longer by a blank': ({ user, secret }) =>
    signParts({ ...user.header, kid: `${user.header.kid} ` }, user.claims, secret),
  'of the previous secret, signed with the current one': ({ user, secret, previousKid }) =>
    signParts({ ...user.header, kid: previousKid }, user.claims, secret),
  'of the current secret, signed with the previous one': ({ user, previous }) =>
    signParts(user.header, user.claims, previous),
});

const STRUCTURE = makeFamily('structure', {
  nothing: () => '',
  garbage: () => 'garbage',
  'three parts of nothing': () => '..',
  'three letters': () => 'a.b.c',
  'one part': spliceToken((header) => header),
  'four parts': spliceToken((header, payload, signature) => `${header}.${payload}.${signature}.${signature}`),
  'five parts': spliceToken((header, payload, signature) => `${header}..${signature}.${payload}.${signature}`),
  'an encrypted token': ({ user }) =>
    [{ alg: 'dir', enc: 'A256GCM', kid: user.header.kid }, '', randomBytes(12), partText(user.claims), randomBytes(16)]
      .map((part) => encode(Buffer.isBuffer(part) ? part : partText(part)))
      .join('.'),
  'a dot behind': ({ user }) => `${user.token}.`,
  'a dot before': ({ user }) => `.${user.token}`,
  'many dots behind': ({ user }) => `${user.token}${'.'.repeat(50)}`,
  'padding behind the signature': ({ user }) => `${user.token}=`,
  'padding behind the header': spliceToken((header, payload, signature) => `${header}==.${payload}.${signature}`),
  'padding of every part': ({ user }) => `${user.token.replaceAll('.', '==.')}==`,
  'a blank inside': spliceToken((header, payload, signature) => `${header}. ${payload}.${signature}`),
  'a tab inside': spliceToken((header, payload, signature) => `${header}.${payload}\t.${signature}`),
  'a line break in percent': ({ user }) => `${user.token}%0a`,
  'a NUL in percent': ({ user }) => `${user.token}%00`,
  'a question mark inside': spliceToken((header, payload, signature) => `${header}.${payload}?.${signature}`),
  'letters of plain base64': spliceToken(
    (header, payload, signature) => `${header}.${payload}.${signature.slice(0, -2)}+/`,
  ),
  'bits behind the signature': ({ user }) => user.token.slice(0, -1) + nextLetter(user.token.at(-1)),
  'another payload': spliceToken(
    (header, _payload, signature, { key }) => `${header}.${key.token.split('.')[1]}.${signature}`,
  ),
  'another signature': spliceToken(
    (header, payload, _signature, { key }) => `${header}.${payload}.${key.token.split('.')[2]}`,
  ),
  'a signature cut short': ({ user }) => user.token.slice(0, -4),
  'a signature with a byte more': spliceToken(
    (header, payload, signature) =>
      `${header}.${payload}.${encode(Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.alloc(1)]))}`,
  ),
  'a signature in hex': spliceToken(
    (header, payload, signature) => `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('hex')}`,
  ),
  'a signature with one bit changed': spliceToken((header, payload, signature) => {
    const bytes = Buffer.from(signature, 'base64url');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return `${header}.${payload}.${encode(bytes)}`;
  }),
  'the parts in another order': spliceToken((header, payload, signature) => `${payload}.${header}.${signature}`),
  'small letters': ({ user }) => user.token.toLowerCase(),
  'the JSON form': spliceToken((header, payload, signature) =>
    JSON.stringify({ protected: header, payload, signature }),
  ),
  'the general JSON form': spliceToken((header, payload, signature) =>
    JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
  ),
  'the JSON form in base64': spliceToken((header, payload, signature) =>
    encode(JSON.stringify({ protected: header, payload, signature })),
  ),
  'a token in a token': ({ user, secret }) => signParts(user.header, user.token, secret),
  'a token in a token, as a text': ({ user, secret }) => signParts(user.header, JSON.stringify(user.token), secret),
  'a claims list': ({ user, secret }) => signParts(user.header, [user.claims], secret),
  'claims null': ({ user, secret }) => signParts(user.header, 'null', secret),
  'no claims': ({ user, secret }) => signParts(user.header, {}, secret),
  'nothing for claims': ({ user, secret }) => signParts(user.header, '', secret),
  'claims that are no JSON': changeClaimsText((text) => text.slice(0, -1)),
  'something behind the claims': changeClaimsText((text) => `${text}{}`),
  'blanks in the claims': changeClaimsText((text) => text.replace(':', ': ')),
  'blanks in the header': changeHeaderText((text) => text.replace(':', ': ')),
  'an order mark before the claims': changeClaimsText((text) => `\ufeff${text}`),
  'an escape in a name': changeClaimsText((text) => text.replace('"company"', String.raw`"\u0063ompany"`)),
  'an escape in a header name': changeHeaderText((text) => text.replace('"alg"', String.raw`"\u0061lg"`)),
  'claims that are no UTF-8': ({ user, secret }) => {
    const [header, text] = [encode(partText(user.header)), partText({ ...user.claims, jti: '?' })];
    const bytes = Buffer.from(text);
    bytes[text.indexOf('"?"') + 1] = 0xff;
    const signed = `${header}.${encode(bytes)}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  },
});

// The last letter of a 32-byte signature has two unused bits, so changing them leaves the signature the same.
function nextLetter(letter = 'A'): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return letters[letters.indexOf(letter) + 1] ?? 'B';
}

const DUPLICATES = makeFamily('duplicate', {
  'alg none, then HS256': changeHeaderText((text) => text.replace('{', '{"alg":"none",')),
  'kid, then ours': changeHeaderText((text) => text.replace('{', '{"kid":"deadbeef",')),
  'company, then ours': changeClaimsText((text, { other }) => text.replace('{', `{"company":"${other.company}",`)),
  'company, after ours': changeClaimsText((text, { user }) =>
    text.replace('}', `,"company":"${user.claims.company}"}`),
  ),
  'role, the same': changeClaimsText((text) => text.replace('{', '{"role":"OWNER",')),
  'type, then ours': changeClaimsText((text) => text.replace('{', '{"type":"global",')),
  'exp, then ours': changeClaimsText((text) => text.replace('{', '{"exp":1,')),
  'sub, then ours': changeClaimsText((text, { other }) => text.replace('{', `{"sub":"${other.user}",`)),
  'sv, then ours': changeClaimsText((text) => text.replace('{', '{"sv":0,')),
});

const SIZE = makeFamily('size', {
  'longer than 4,096 characters': changeClaims({ jti: 'j'.repeat(4_096) }),
  '8 kB of scopes': changeClaims({ scopes: Array.from({ length: 400 }, () => 'webhooks:read') }),
  'a header of 6 kB': changeHeader({ kid: 'k'.repeat(6_000) }),
  '12 kB of nothing': () => 'a'.repeat(12_000),
  '12 kB of dots': () => '.'.repeat(12_000),
  'a thousand levels': changeClaimsText((text) => text.replace('}', `,"x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)),
  'a header of a thousand levels': changeHeaderText((text) =>
    text.replace('}', `,"x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`),
  ),
});

const NUL = makeFamily('NUL', {
  'in the subject': changeClaims(({ user }) => ({ sub: `${user.claims.sub}\0` })),
  'in the company': changeClaims(({ user }) => ({ company: `${user.claims.company}\0` })),
  'in the type': changeClaims({ type: 'user\0' }),
  'in the role': changeClaims({ role: 'OWNER\0' }),
  'in a name': changeClaims({ 'company\0': 'x' }),
  'raw, behind the claims': changeClaimsText((text) => `${text}\0`),
});

const MISSING = makeFamily(
  'missing claim',
  Object.fromEntries(
    ['iss', 'aud', 'sub', 'jti', 'iat', 'exp', 'type', 'company', 'role', 'sv'].map((name) => [
      name,
      changeClaims({ [name]: undefined }),
    ]),
  ),
);

const TIMES = makeFamily('time', {
  'expired a second ago': changeClaims(() => ({ exp: nowSeconds() - 1 })),
  'expired in 1970': changeClaims({ exp: 0 }),
  'an end in text': changeClaims(() => ({ exp: String(nowSeconds() + HOUR) })),
  'an end as a date': changeClaims(() => ({ exp: new Date(Date.now() + 1_000 * HOUR).toISOString() })),
  'an end that is no number': changeClaimsText((text) => text.replace(/"exp":\d+/, '"exp":NaN')),
  'an end in the word NaN': changeClaims({ exp: 'NaN' }),
  'an end that is null': changeClaims({ exp: null }),
  'an end in a list': changeClaims(() => ({ exp: [nowSeconds() + HOUR] })),
  'an end of true': changeClaims({ exp: true }),
  'an end before all time': changeClaims({ exp: -1 }),
  'an end after all time': changeClaimsText((text) => text.replace(/"exp":\d+/, '"exp":1e300')),
  'an end beyond all numbers': changeClaimsText((text) => text.replace(/"exp":\d+/, '"exp":1e999')),
  'an end beyond the session': changeClaims(() => ({ exp: nowSeconds() + 30 * 24 * HOUR })),
  'an end with a fraction': changeClaims(() => ({ exp: nowSeconds() + HOUR + 0.5 })),
  'an end written otherwise': changeClaimsText((text) => text.replace(/"exp":(\d+)/, '"exp":$1.0')),
  'issued in text': changeClaims(() => ({ iat: String(nowSeconds()) })),
  'issued before all time': changeClaims({ iat: -1 }),
  'issued never': changeClaims({ iat: null }),
  'not before an hour from now': changeClaims(() => ({ nbf: nowSeconds() + HOUR })),
  'not before a text': changeClaims(() => ({ nbf: String(nowSeconds()) })),
});

const CLAIMS = makeFamily('claim', {
  'another issuer': changeClaims({ iss: 'somebody' }),
  'a list of issuers': changeClaims({ iss: ['parley'] }),
  'an issuer of null': changeClaims({ iss: null }),
  'another audience': changeClaims({ aud: 'somebody' }),
  'a list of audiences': changeClaims({ aud: ['parley'] }),
  'an audience among others': changeClaims({ aud: ['somebody', 'parley'] }),
  'a subject in capitals': changeClaims(({ user }) => ({ sub: `${user.claims.sub.slice(0, -1)}F` })),
  'a subject of nobody': changeClaims(() => ({ sub: newId() })),
  "another company's user": changeClaims(({ other }) => ({ sub: other.user })),
  'a list of subjects': changeClaims(({ user }) => ({ sub: [user.claims.sub] })),
  'a subject as an object': changeClaims({ sub: {} }),
  'a key for a subject': changeClaims(({ key }) => ({ sub: key.claims.sub })),
  'an id that is a number': changeClaims({ jti: 1 }),
  'an id that is empty': changeClaims({ jti: '' }),
  'another company': changeClaims(({ other }) => ({ company: other.company })),
  'another company and its user, whose session is older': changeClaims(({ other }) => ({
    company: other.company,
    sub: other.user,
  })),
  'a company of null': changeClaims({ company: null }),
  'a list of companies': changeClaims(({ user }) => ({ company: [user.claims.company] })),
  'a company in SQL': changeClaims({ company: "' or '1'='1" }),
  'a role that there is not': changeClaims({ role: 'ROOT' }),
  'a role in small letters': changeClaims({ role: 'owner' }),
  'a list of roles': changeClaims({ role: ['OWNER'] }),
  'an older session': changeClaims(({ user }) => ({ sv: user.claims.sv - 1 })),
  'a session to come': changeClaims(({ user }) => ({ sv: user.claims.sv + 1 })),
  'a session in text': changeClaims(({ user }) => ({ sv: String(user.claims.sv) })),
  'a session of null': changeClaims({ sv: null }),
  'a session with a fraction': changeClaims(({ user }) => ({ sv: user.claims.sv + 0.5 })),
  'a type that there is not': changeClaims({ type: 'root' }),
  'a type in capitals': changeClaims({ type: 'USER' }),
  'a type that is empty': changeClaims({ type: '' }),
  'a list of types': changeClaims({ type: ['user'] }),
  'a user who calls himself global': changeClaims({ type: 'global' }),
  'a user who calls himself a key': changeClaims({ type: 'company' }),
  'a user in the whole shape of a global key': ({ user, secret }) =>
    signParts(
      user.header,
      { ...user.claims, type: 'global', scopes: ['*'], company: undefined, role: undefined, sv: undefined },
      secret,
    ),
  'a user with scopes': changeClaims({ scopes: ['*'] }),
  'a claim of its own': changeClaims({ admin: true }),
  'a prototype': changeClaimsText((text) => text.replace('{', '{"__proto__":{"role":"OWNER"},')),
});

/** Changes the claims of an API key's token, and stores the record that such a token would need. */
const changeStoredKey =
  (change: (given: ForgerKnowledge) => { claims?: object; record?: Partial<KeyRecord> }): Forgery['make'] =>
  (given) => {
    const { claims, record } = change(given);
    const _id = newId();
    const token = signParts(given.key.header, { ...given.key.claims, sub: _id, jti: _id, ...claims }, given.secret);
    return { ...toBearerRequest(token), record: { token, _id, company: given.key.claims.company, ...record } };
  };

const KEYS: Forgery[] = Object.entries<Forgery['make']>({
  'well signed and never issued': ({ key, secret }) =>
    toBearerRequest(signParts(key.header, { ...key.claims, jti: newId() }, secret)),
  'scopes widened': ({ key, secret }) =>
    toBearerRequest(signParts(key.header, { ...key.claims, scopes: ['*'] }, secret)),
  'scopes widened, signature kept': ({ key }) => {
    const [header, , signature] = key.token.split('.');
    return toBearerRequest(`${header}.${encode(partText({ ...key.claims, scopes: ['*'] }))}.${signature}`);
  },
  'called global': ({ key, secret }) =>
    toBearerRequest(signParts(key.header, { ...key.claims, type: 'global' }, secret)),
  'global, without its company': ({ key, secret }) =>
    toBearerRequest(signParts(key.header, { ...key.claims, type: 'global', company: undefined }, secret)),
  'a global one that names a company': ({ global, other, secret }) =>
    toBearerRequest(signParts(global.header, { ...global.claims, company: other.company }, secret)),
  revoked: changeStoredKey(() => ({ record: { revoked: true } })),
  expired: changeStoredKey(() => ({ record: { expired: true } })),
  'expired by its own claim': changeStoredKey(() => ({ claims: { exp: nowSeconds() - 1 } })),
  'an end in text': changeStoredKey(() => ({ claims: { exp: String(nowSeconds() + HOUR) } })),
  'stored for another company': changeStoredKey(({ other }) => ({ record: { company: other.company } })),
  'stored as a global one': changeStoredKey(() => ({ record: { company: null } })),
  'stored for a company, called global': changeStoredKey(() => ({ claims: { type: 'global', company: undefined } })),
  'stored, called a user': changeStoredKey(() => ({ claims: { type: 'user' } })),
  'stored, without a type': changeStoredKey(() => ({ claims: { type: undefined } })),
  'stored under another id': changeStoredKey(({ other }) => ({ claims: { sub: other.key } })),
  'stored, without a company': changeStoredKey(() => ({ claims: { company: undefined } })),
  'stored, for a company that is no id': changeStoredKey(() => ({ claims: { company: '*' } })),
  'stored, scopes in a text': changeStoredKey(() => ({ claims: { scopes: '*' } })),
  'stored, scopes of numbers': changeStoredKey(() => ({ claims: { scopes: [1] } })),
  'stored, without scopes': changeStoredKey(() => ({ claims: { scopes: undefined } })),
  'stored, with a role': changeStoredKey(() => ({ claims: { role: 'OWNER', sv: 0 } })),
  'stored, of another issuer': changeStoredKey(() => ({ claims: { iss: 'somebody' } })),
  'stored, longer than 4,096 characters': changeStoredKey(() => ({
    claims: { scopes: Array.from({ length: 400 }, () => 'webhooks:read') },
  })),
}).map(([name, make]) => ({ name, family: 'key', make }));

const TRANSPORT: Forgery[] = Object.entries<Forgery['make']>({
  'no token': () => ({}),
  'the query, access_token': ({ user }) => ({ query: `access_token=${user.token}` }),
  'the query, authorization': ({ user }) => ({ query: `authorization=Bearer%20${user.token}` }),
  'a cookie': ({ user }) => ({ headers: { cookie: `access_token=${user.token}; authorization=Bearer ${user.token}` } }),
  'the body': ({ user }) => ({ body: { access_token: user.token, token: user.token } }),
  'another header': ({ user }) => ({ headers: { 'x-authorization': `Bearer ${user.token}`, 'x-api-key': user.token } }),
  'the header of a proxy': ({ user }) => ({ headers: { 'proxy-authorization': `Bearer ${user.token}` } }),
  'a forwarded header': ({ user }) => ({ headers: { 'x-forwarded-authorization': `Bearer ${user.token}` } }),
  'the scheme alone': () => ({ authorization: ['Bearer'] }),
  'no scheme': ({ user }) => ({ authorization: [user.token] }),
  'the scheme Basic': ({ user }) => ({ authorization: [`Basic ${user.token}`] }),
  'the scheme Basic, as a password': ({ user }) => ({
    authorization: [`Basic ${Buffer.from(`user:${user.token}`).toString('base64')}`],
  }),
  'the scheme Token': ({ user }) => ({ authorization: [`Token ${user.token}`] }),
  'the scheme JWT': ({ user }) => ({ authorization: [`JWT ${user.token}`] }),
  'the scheme DPoP': ({ user }) => ({ authorization: [`DPoP ${user.token}`] }),
  'a longer scheme': ({ user }) => ({ authorization: [`Bearers ${user.token}`] }),
  'a scheme glued on': ({ user }) => ({ authorization: [`Bearer${user.token}`] }),
  'a scheme with a colon': ({ user }) => ({ authorization: [`Bearer: ${user.token}`] }),
  'the scheme twice': ({ user }) => ({ authorization: [`Bearer Bearer ${user.token}`] }),
  'two blanks': ({ user }) => ({ authorization: [`Bearer  ${user.token}`] }),
  'a tab': ({ user }) => ({ authorization: [`Bearer\t${user.token}`] }),
  quotes: ({ user }) => ({ authorization: [`Bearer "${user.token}"`] }),
  'something behind': ({ user }) => ({ authorization: [`Bearer ${user.token} x`] }),
  'a parameter behind': ({ user }) => ({ authorization: [`Bearer ${user.token}, realm=x`] }),
  'two tokens in a list': ({ user }) => ({ authorization: [`Bearer ${user.token}, Bearer ${user.token}`] }),
  'two headers, the first of a forger': ({ user }) => ({ authorization: ['Bearer a.b.c', `Bearer ${user.token}`] }),
  'two headers, the second of a forger': ({ user }) => ({ authorization: [`Bearer ${user.token}`, 'Bearer a.b.c'] }),
  'two headers, both alike': ({ user }) => ({ authorization: [`Bearer ${user.token}`, `Bearer ${user.token}`] }),
  'the right company without a token': ({ user }) => ({ headers: { 'x-company-id': user.claims.company } }),
}).map(([name, make]) => ({ name, family: 'transport', make }));

export const FORGERIES: Forgery[] = [
  ...UNSIGNED,
  ...ALGORITHM,
  ...CONFUSION,
  ...HEADER,
  ...KID,
  ...STRUCTURE,
  ...DUPLICATES,
  ...SIZE,
  ...NUL,
  ...MISSING,
  ...TIMES,
  ...CLAIMS,
  ...KEYS,
  ...TRANSPORT,
];

/** Valid tokens. They must be accepted, or the refusals of the forged ones would prove nothing. */
export const GENUINE: Forgery[] = [
  ...makeFamily('genuine', {
    'as it was given': ({ user }) => user.token,
    'signed again by hand': changeClaims({}),
    'signed by hand, with another id': changeClaims(() => ({ jti: newId() })),
    'issued ahead of our clock': changeClaims(() => ({ iat: nowSeconds() + HOUR, exp: nowSeconds() + 2 * HOUR })),
    'not before a moment from now': changeClaims(() => ({ nbf: nowSeconds() + 10 })),
    'of the previous secret': ({ user, previous, previousKid }) =>
      signParts({ ...user.header, kid: previousKid }, user.claims, previous),
  }),
  { name: 'a stored key', family: 'genuine', make: changeStoredKey(() => ({})) },
  {
    name: 'a stored key that ends',
    family: 'genuine',
    make: changeStoredKey(() => ({ claims: { exp: nowSeconds() + HOUR } })),
  },
  {
    name: 'small letters in the scheme',
    family: 'genuine',
    make: ({ user }) => ({ authorization: [`bearer ${user.token}`] }),
  },
];
