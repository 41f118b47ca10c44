/**
 * Forged tokens. Most are a real user's token, signed with the right secret and wrong in one thing, so that only the rule about that thing
 * can refuse them. Those of keys have a stored record with their hash, so that they are not refused earlier as unknown.
 */
import { createHmac, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { newId } from '../../../src/platform/ids.ts';
import type { Json } from '../../support/platform.ts';

export interface Parts {
  token: string;
  header: Json;
  claims: Json;
}

/** The secrets and tokens that the best informed forger knows. */
export interface Given {
  secret: string;
  previous: string;
  /** The key id of the previous secret. */
  previousKid: string;
  user: Parts;
  key: Parts;
  global: Parts;
  /** Ids of another company, of its user and its key. */
  other: { company: string; user: string; key: string };
}

/** How a forgery is sent. */
export interface Attempt {
  /** The values of the Authorization header; each item is sent as a header of its own. */
  authorization?: string[];
  headers?: Record<string, string>;
  query?: string;
  body?: object;
  /** A row of api_keys with this token's hash. */
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
  make(given: Given): Attempt;
}

const encode = (part: string | Buffer): string => Buffer.from(part).toString('base64url');
/** A text is used unchanged, for JSON that JSON.stringify never writes. */
const partText = (part: Json): string => (typeof part === 'string' ? part : JSON.stringify(part));

/** Signs a token of these parts, valid or not. */
export function seal(header: Json, claims: Json, secret: string | Buffer, hash = 'sha256'): string {
  const signed = `${encode(partText(header))}.${encode(partText(claims))}`;
  return `${signed}.${createHmac(hash, secret).update(signed).digest('base64url')}`;
}

export function splitToken(token: string): Parts {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { token, header: JSON.parse(header ?? ''), claims: JSON.parse(claims ?? '') };
}

const bearer = (token: string): Attempt => ({ authorization: [`Bearer ${token}`] });
const seconds = (): number => Math.floor(Date.now() / 1_000);
const HOUR = 3_600;

type Make = (given: Given) => string;

/** A group of similar forgeries; each row makes one token. */
function family(name: string, rows: Record<string, Make>): Forgery[] {
  return Object.entries(rows).map(([row, make]) => ({ name: row, family: name, make: (given) => bearer(make(given)) }));
}

/** A real user's token with another header, signed with the right secret. */
const head =
  (change: object): Make =>
  ({ user, secret }) =>
    seal({ ...user.header, ...change }, user.claims, secret);

/** A real user's token with other claims, signed with the right secret; a member that is undefined is left out. */
const claim =
  (change: object | ((given: Given) => object)): Make =>
  (given) =>
    seal(
      given.user.header,
      { ...given.user.claims, ...(typeof change === 'function' ? change(given) : change) },
      given.secret,
    );

/** A real user's token with a change in the text of its claims, signed with the right secret. */
const claimText =
  (change: (text: string, given: Given) => string): Make =>
  (given) =>
    seal(given.user.header, change(JSON.stringify(given.user.claims), given), given.secret);

const headText =
  (change: (text: string) => string): Make =>
  ({ user, secret }) =>
    seal(change(JSON.stringify(user.header)), user.claims, secret);

const spliced =
  (change: (header: string, payload: string, signature: string, given: Given) => string): Make =>
  (given) => {
    const [header = '', payload = '', signature = ''] = given.user.token.split('.');
    return change(header, payload, signature, given);
  };

const pairs = {
  RS256: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: generateKeyPairSync('ed25519'),
};
type Asymmetric = keyof typeof pairs;
const exportPem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' });

/** Correctly signed with the forger's own key, which the header contains. */
const signedBy =
  (alg: Asymmetric): Make =>
  ({ user }) => {
    const { privateKey, publicKey } = pairs[alg];
    const header = { ...user.header, alg, jwk: publicKey.export({ format: 'jwk' }) };
    const signed = `${encode(partText(header))}.${encode(partText(user.claims))}`;
    const key = alg === 'ES256' ? ({ key: privateKey, dsaEncoding: 'ieee-p1363' } as const) : privateKey;
    const signature = sign(alg === 'EdDSA' ? null : 'sha256', Buffer.from(signed), key);
    return `${signed}.${encode(signature)}`;
  };

const unsigned =
  (alg: unknown): Make =>
  ({ user }) =>
    `${encode(partText({ ...user.header, alg }))}.${encode(partText(user.claims))}.`;

const UNSIGNED = family('unsigned', {
  'alg none': unsigned('none'),
  'alg None': unsigned('None'),
  'alg NONE': unsigned('NONE'),
  'alg nOnE': unsigned('nOnE'),
  'alg none with a blank': unsigned('none '),
  'alg empty': unsigned(''),
  'alg null': unsigned(null),
  'alg missing, no signature': unsigned(undefined),
  'HS256 and no signature': unsigned('HS256'),
  'alg none, well signed': head({ alg: 'none' }),
  'two parts only': spliced((header, payload) => `${header}.${payload}`),
  'a signature of zeros': spliced((header, payload) => `${header}.${payload}.${encode(Buffer.alloc(32))}`),
});

const ALGORITHM = family('algorithm', {
  HS384: ({ user, secret }) => seal({ ...user.header, alg: 'HS384' }, user.claims, secret, 'sha384'),
  HS512: ({ user, secret }) => seal({ ...user.header, alg: 'HS512' }, user.claims, secret, 'sha512'),
  'HS256 in small letters': head({ alg: 'hs256' }),
  'HS256 with a blank': head({ alg: 'HS256 ' }),
  'HS256 with a NUL': head({ alg: 'HS256\0' }),
  'a list of algorithms': head({ alg: ['HS256'] }),
  'alg is a number': head({ alg: 256 }),
  'alg is an object': head({ alg: { name: 'HS256' } }),
  'alg is true': head({ alg: true }),
  'alg missing, well signed': head({ alg: undefined }),
  'alg under another name': headText((text) => text.replace('"alg"', '"Alg"')),
  'SHA-512 under the name of HS256': ({ user, secret }) => seal(user.header, user.claims, secret, 'sha512'),
});

const CONFUSION = family('confusion', {
  'RS256, our secret as HMAC key': head({ alg: 'RS256' }),
  'ES256, our secret as HMAC key': head({ alg: 'ES256' }),
  'PS256, our secret as HMAC key': head({ alg: 'PS256' }),
  'EdDSA, our secret as HMAC key': head({ alg: 'EdDSA' }),
  'RS256, signed with its own key': signedBy('RS256'),
  'ES256, signed with its own key': signedBy('ES256'),
  'EdDSA, signed with its own key': signedBy('EdDSA'),
  'HS256, a public RSA key as secret': ({ user }) => seal(user.header, user.claims, exportPem(pairs.RS256.publicKey)),
  'HS256, a public EC key as secret': ({ user }) => seal(user.header, user.claims, exportPem(pairs.ES256.publicKey)),
  'HS256, an empty secret': ({ user }) => seal(user.header, user.claims, ''),
  'HS256, the word secret': ({ user }) => seal(user.header, user.claims, 'secret'),
  'HS256, the kid as secret': ({ user }) => seal(user.header, user.claims, user.header.kid),
  'HS256, the issuer as secret': ({ user }) => seal(user.header, user.claims, user.claims.iss),
  'HS256, our secret and a line break': ({ user, secret }) => seal(user.header, user.claims, `${secret}\n`),
  'HS256, our secret decoded': ({ user, secret }) => seal(user.header, user.claims, Buffer.from(secret, 'base64url')),
  'HS256, a secret of zeros': ({ user }) => seal(user.header, user.claims, Buffer.alloc(32)),
});

const octet = { kty: 'oct', k: encode('a key of the forger himself'), alg: 'HS256' };

const HEADER = family('header', {
  jwk: head({ jwk: octet }),
  'jwk, signed with it': ({ user }) => seal({ ...user.header, jwk: octet }, user.claims, 'a key of the forger himself'),
  jku: head({ jku: 'http://127.0.0.1:9/keys.json' }),
  x5u: head({ x5u: 'http://127.0.0.1:9/chain.pem' }),
  x5c: head({ x5c: [encode('certificate')] }),
  x5t: head({ x5t: encode('thumb') }),
  'x5t#S256': head({ 'x5t#S256': encode('thumb') }),
  'crit, empty': head({ crit: [] }),
  'crit of a known claim': head({ crit: ['exp'], exp: 1 }),
  'crit of an unknown one': head({ crit: ['x'], x: 1 }),
  'b64 false': head({ b64: false }),
  'b64 false, critical': head({ b64: false, crit: ['b64'] }),
  'b64 true': head({ b64: true }),
  'b64 false, payload as it is': ({ user, secret }) => {
    const header = encode(partText({ ...user.header, b64: false, crit: ['b64'] }));
    const payload = partText(user.claims).replaceAll('.', '');
    return `${header}.${payload}.${createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url')}`;
  },
  zip: head({ zip: 'DEF' }),
  enc: head({ enc: 'A256GCM' }),
  cty: head({ cty: 'JWT' }),
  p2c: head({ p2c: 1_000_000_000, p2s: 'AA' }),
  'a parameter of its own': head({ x: 1 }),
  'an empty parameter': head({ '': '' }),
  'a prototype': headText((text) => text.replace('{', '{"__proto__":{"alg":"HS256"},')),
  'claims in the header': head({ iss: 'parley', aud: 'parley' }),
  'typ missing': head({ typ: undefined }),
  'typ in small letters': head({ typ: 'jwt' }),
  'typ of another kind': head({ typ: 'at+jwt' }),
  'typ null': head({ typ: null }),
  'typ is a list': head({ typ: ['JWT'] }),
  'a list': ({ user, secret }) => seal([user.header], user.claims, secret),
  'a text': ({ user, secret }) => seal('"HS256"', user.claims, secret),
  null: ({ user, secret }) => seal('null', user.claims, secret),
  empty: ({ user, secret }) => seal('', user.claims, secret),
  'no members': ({ user, secret }) => seal({}, user.claims, secret),
});

const KID = family('kid', {
  missing: head({ kid: undefined }),
  null: head({ kid: null }),
  empty: head({ kid: '' }),
  'empty, signed with nothing': ({ user }) => seal({ ...user.header, kid: '' }, user.claims, ''),
  'a list': ({ user, secret }) => seal({ ...user.header, kid: [user.header.kid] }, user.claims, secret),
  'a number': head({ kid: 1 }),
  'an object': head({ kid: { length: 8 } }),
  'a path': ({ user }) => seal({ ...user.header, kid: '../../../../../../dev/null' }, user.claims, ''),
  'an address': head({ kid: 'http://127.0.0.1:9/key' }),
  SQL: head({ kid: `' or '1'='1` }),
  'SQL that brings a key': ({ user }) => seal({ ...user.header, kid: `x' union select 'key' --` }, user.claims, 'key'),
  'a command': head({ kid: '$(id)' }),
  unknown: head({ kid: 'deadbeef' }),
  'the name of a method': head({ kid: 'constructor' }),
  'a prototype': head({ kid: '__proto__' }),
  'longer by a letter': ({ user, secret }) => seal({ ...user.header, kid: `${user.header.kid}0` }, user.claims, secret),
  'longer by a NUL': ({ user, secret }) => seal({ ...user.header, kid: `${user.header.kid}\0` }, user.claims, secret),
  'longer by a blank': ({ user, secret }) => seal({ ...user.header, kid: `${user.header.kid} ` }, user.claims, secret),
  'of the previous secret, signed with the current one': ({ user, secret, previousKid }) =>
    seal({ ...user.header, kid: previousKid }, user.claims, secret),
  'of the current secret, signed with the previous one': ({ user, previous }) =>
    seal(user.header, user.claims, previous),
});

const STRUCTURE = family('structure', {
  nothing: () => '',
  garbage: () => 'garbage',
  'three parts of nothing': () => '..',
  'three letters': () => 'a.b.c',
  'one part': spliced((header) => header),
  'four parts': spliced((header, payload, signature) => `${header}.${payload}.${signature}.${signature}`),
  'five parts': spliced((header, payload, signature) => `${header}..${signature}.${payload}.${signature}`),
  'an encrypted token': ({ user }) =>
    [{ alg: 'dir', enc: 'A256GCM', kid: user.header.kid }, '', randomBytes(12), partText(user.claims), randomBytes(16)]
      .map((part) => encode(Buffer.isBuffer(part) ? part : partText(part)))
      .join('.'),
  'a dot behind': ({ user }) => `${user.token}.`,
  'a dot before': ({ user }) => `.${user.token}`,
  'many dots behind': ({ user }) => `${user.token}${'.'.repeat(50)}`,
  'padding behind the signature': ({ user }) => `${user.token}=`,
  'padding behind the header': spliced((header, payload, signature) => `${header}==.${payload}.${signature}`),
  'padding of every part': ({ user }) => `${user.token.replaceAll('.', '==.')}==`,
  'a blank inside': spliced((header, payload, signature) => `${header}. ${payload}.${signature}`),
  'a tab inside': spliced((header, payload, signature) => `${header}.${payload}\t.${signature}`),
  'a line break in percent': ({ user }) => `${user.token}%0a`,
  'a NUL in percent': ({ user }) => `${user.token}%00`,
  'a question mark inside': spliced((header, payload, signature) => `${header}.${payload}?.${signature}`),
  'letters of plain base64': spliced(
    (header, payload, signature) => `${header}.${payload}.${signature.slice(0, -2)}+/`,
  ),
  'bits behind the signature': ({ user }) => user.token.slice(0, -1) + nextLetter(user.token.at(-1)),
  'another payload': spliced(
    (header, _payload, signature, { key }) => `${header}.${key.token.split('.')[1]}.${signature}`,
  ),
  'another signature': spliced(
    (header, payload, _signature, { key }) => `${header}.${payload}.${key.token.split('.')[2]}`,
  ),
  'a signature cut short': ({ user }) => user.token.slice(0, -4),
  'a signature with a byte more': spliced(
    (header, payload, signature) =>
      `${header}.${payload}.${encode(Buffer.concat([Buffer.from(signature, 'base64url'), Buffer.alloc(1)]))}`,
  ),
  'a signature in hex': spliced(
    (header, payload, signature) => `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('hex')}`,
  ),
  'a signature with one bit changed': spliced((header, payload, signature) => {
    const bytes = Buffer.from(signature, 'base64url');
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    return `${header}.${payload}.${encode(bytes)}`;
  }),
  'the parts in another order': spliced((header, payload, signature) => `${payload}.${header}.${signature}`),
  'small letters': ({ user }) => user.token.toLowerCase(),
  'the JSON form': spliced((header, payload, signature) => JSON.stringify({ protected: header, payload, signature })),
  'the general JSON form': spliced((header, payload, signature) =>
    JSON.stringify({ payload, signatures: [{ protected: header, signature }] }),
  ),
  'the JSON form in base64': spliced((header, payload, signature) =>
    encode(JSON.stringify({ protected: header, payload, signature })),
  ),
  'a token in a token': ({ user, secret }) => seal(user.header, user.token, secret),
  'a token in a token, as a text': ({ user, secret }) => seal(user.header, JSON.stringify(user.token), secret),
  'a claims list': ({ user, secret }) => seal(user.header, [user.claims], secret),
  'claims null': ({ user, secret }) => seal(user.header, 'null', secret),
  'no claims': ({ user, secret }) => seal(user.header, {}, secret),
  'nothing for claims': ({ user, secret }) => seal(user.header, '', secret),
  'claims that are no JSON': claimText((text) => text.slice(0, -1)),
  'something behind the claims': claimText((text) => `${text}{}`),
  'blanks in the claims': claimText((text) => text.replace(':', ': ')),
  'blanks in the header': headText((text) => text.replace(':', ': ')),
  'an order mark before the claims': claimText((text) => `\ufeff${text}`),
  'an escape in a name': claimText((text) => text.replace('"company"', String.raw`"\u0063ompany"`)),
  'an escape in a header name': headText((text) => text.replace('"alg"', String.raw`"\u0061lg"`)),
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

const DUPLICATES = family('duplicate', {
  'alg none, then HS256': headText((text) => text.replace('{', '{"alg":"none",')),
  'kid, then ours': headText((text) => text.replace('{', '{"kid":"deadbeef",')),
  'company, then ours': claimText((text, { other }) => text.replace('{', `{"company":"${other.company}",`)),
  'company, after ours': claimText((text, { user }) => text.replace('}', `,"company":"${user.claims.company}"}`)),
  'role, the same': claimText((text) => text.replace('{', '{"role":"OWNER",')),
  'type, then ours': claimText((text) => text.replace('{', '{"type":"global",')),
  'exp, then ours': claimText((text) => text.replace('{', '{"exp":1,')),
  'sub, then ours': claimText((text, { other }) => text.replace('{', `{"sub":"${other.user}",`)),
  'sv, then ours': claimText((text) => text.replace('{', '{"sv":0,')),
});

const SIZE = family('size', {
  'longer than 4,096 characters': claim({ jti: 'j'.repeat(4_096) }),
  '8 kB of scopes': claim({ scopes: Array.from({ length: 400 }, () => 'webhooks:read') }),
  'a header of 6 kB': head({ kid: 'k'.repeat(6_000) }),
  '12 kB of nothing': () => 'a'.repeat(12_000),
  '12 kB of dots': () => '.'.repeat(12_000),
  'a thousand levels': claimText((text) => text.replace('}', `,"x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`)),
  'a header of a thousand levels': headText((text) =>
    text.replace('}', `,"x":${'['.repeat(1_000)}${']'.repeat(1_000)}}`),
  ),
});

const NUL = family('NUL', {
  'in the subject': claim(({ user }) => ({ sub: `${user.claims.sub}\0` })),
  'in the company': claim(({ user }) => ({ company: `${user.claims.company}\0` })),
  'in the type': claim({ type: 'user\0' }),
  'in the role': claim({ role: 'OWNER\0' }),
  'in a name': claim({ 'company\0': 'x' }),
  'raw, behind the claims': claimText((text) => `${text}\0`),
});

const MISSING = family(
  'missing claim',
  Object.fromEntries(
    ['iss', 'aud', 'sub', 'jti', 'iat', 'exp', 'type', 'company', 'role', 'sv'].map((name) => [
      name,
      claim({ [name]: undefined }),
    ]),
  ),
);

const TIMES = family('time', {
  'expired a second ago': claim(() => ({ exp: seconds() - 1 })),
  'expired in 1970': claim({ exp: 0 }),
  'an end in text': claim(() => ({ exp: String(seconds() + HOUR) })),
  'an end as a date': claim(() => ({ exp: new Date(Date.now() + 1_000 * HOUR).toISOString() })),
  'an end that is no number': claimText((text) => text.replace(/"exp":\d+/, '"exp":NaN')),
  'an end in the word NaN': claim({ exp: 'NaN' }),
  'an end that is null': claim({ exp: null }),
  'an end in a list': claim(() => ({ exp: [seconds() + HOUR] })),
  'an end of true': claim({ exp: true }),
  'an end before all time': claim({ exp: -1 }),
  'an end after all time': claimText((text) => text.replace(/"exp":\d+/, '"exp":1e300')),
  'an end beyond all numbers': claimText((text) => text.replace(/"exp":\d+/, '"exp":1e999')),
  'an end beyond the session': claim(() => ({ exp: seconds() + 30 * 24 * HOUR })),
  'an end with a fraction': claim(() => ({ exp: seconds() + HOUR + 0.5 })),
  'an end written otherwise': claimText((text) => text.replace(/"exp":(\d+)/, '"exp":$1.0')),
  'issued in text': claim(() => ({ iat: String(seconds()) })),
  'issued before all time': claim({ iat: -1 }),
  'issued never': claim({ iat: null }),
  'not before an hour from now': claim(() => ({ nbf: seconds() + HOUR })),
  'not before a text': claim(() => ({ nbf: String(seconds()) })),
});

const CLAIMS = family('claim', {
  'another issuer': claim({ iss: 'somebody' }),
  'a list of issuers': claim({ iss: ['parley'] }),
  'an issuer of null': claim({ iss: null }),
  'another audience': claim({ aud: 'somebody' }),
  'a list of audiences': claim({ aud: ['parley'] }),
  'an audience among others': claim({ aud: ['somebody', 'parley'] }),
  'a subject in capitals': claim(({ user }) => ({ sub: `${user.claims.sub.slice(0, -1)}F` })),
  'a subject of nobody': claim(() => ({ sub: newId() })),
  "another company's user": claim(({ other }) => ({ sub: other.user })),
  'a list of subjects': claim(({ user }) => ({ sub: [user.claims.sub] })),
  'a subject as an object': claim({ sub: {} }),
  'a key for a subject': claim(({ key }) => ({ sub: key.claims.sub })),
  'an id that is a number': claim({ jti: 1 }),
  'an id that is empty': claim({ jti: '' }),
  'another company': claim(({ other }) => ({ company: other.company })),
  'another company and its user, whose session is older': claim(({ other }) => ({
    company: other.company,
    sub: other.user,
  })),
  'a company of null': claim({ company: null }),
  'a list of companies': claim(({ user }) => ({ company: [user.claims.company] })),
  'a company in SQL': claim({ company: "' or '1'='1" }),
  'a role that there is not': claim({ role: 'ROOT' }),
  'a role in small letters': claim({ role: 'owner' }),
  'a list of roles': claim({ role: ['OWNER'] }),
  'an older session': claim(({ user }) => ({ sv: user.claims.sv - 1 })),
  'a session to come': claim(({ user }) => ({ sv: user.claims.sv + 1 })),
  'a session in text': claim(({ user }) => ({ sv: String(user.claims.sv) })),
  'a session of null': claim({ sv: null }),
  'a session with a fraction': claim(({ user }) => ({ sv: user.claims.sv + 0.5 })),
  'a type that there is not': claim({ type: 'root' }),
  'a type in capitals': claim({ type: 'USER' }),
  'a type that is empty': claim({ type: '' }),
  'a list of types': claim({ type: ['user'] }),
  'a user who calls himself global': claim({ type: 'global' }),
  'a user who calls himself a key': claim({ type: 'company' }),
  'a user in the whole shape of a global key': ({ user, secret }) =>
    seal(
      user.header,
      { ...user.claims, type: 'global', scopes: ['*'], company: undefined, role: undefined, sv: undefined },
      secret,
    ),
  'a user with scopes': claim({ scopes: ['*'] }),
  'a claim of its own': claim({ admin: true }),
  'a prototype': claimText((text) => text.replace('{', '{"__proto__":{"role":"OWNER"},')),
});

/** A key's token with other claims, and the stored record that it would need. */
const stored =
  (change: (given: Given) => { claims?: object; record?: Partial<KeyRecord> }): Forgery['make'] =>
  (given) => {
    const { claims, record } = change(given);
    const _id = newId();
    const token = seal(given.key.header, { ...given.key.claims, sub: _id, jti: _id, ...claims }, given.secret);
    return { ...bearer(token), record: { token, _id, company: given.key.claims.company, ...record } };
  };

const KEYS: Forgery[] = Object.entries<Forgery['make']>({
  'well signed and never issued': ({ key, secret }) =>
    bearer(seal(key.header, { ...key.claims, jti: newId() }, secret)),
  'scopes widened': ({ key, secret }) => bearer(seal(key.header, { ...key.claims, scopes: ['*'] }, secret)),
  'scopes widened, signature kept': ({ key }) => {
    const [header, , signature] = key.token.split('.');
    return bearer(`${header}.${encode(partText({ ...key.claims, scopes: ['*'] }))}.${signature}`);
  },
  'called global': ({ key, secret }) => bearer(seal(key.header, { ...key.claims, type: 'global' }, secret)),
  'global, without its company': ({ key, secret }) =>
    bearer(seal(key.header, { ...key.claims, type: 'global', company: undefined }, secret)),
  'a global one that names a company': ({ global, other, secret }) =>
    bearer(seal(global.header, { ...global.claims, company: other.company }, secret)),
  revoked: stored(() => ({ record: { revoked: true } })),
  expired: stored(() => ({ record: { expired: true } })),
  'expired by its own claim': stored(() => ({ claims: { exp: seconds() - 1 } })),
  'an end in text': stored(() => ({ claims: { exp: String(seconds() + HOUR) } })),
  'stored for another company': stored(({ other }) => ({ record: { company: other.company } })),
  'stored as a global one': stored(() => ({ record: { company: null } })),
  'stored for a company, called global': stored(() => ({ claims: { type: 'global', company: undefined } })),
  'stored, called a user': stored(() => ({ claims: { type: 'user' } })),
  'stored, without a type': stored(() => ({ claims: { type: undefined } })),
  'stored under another id': stored(({ other }) => ({ claims: { sub: other.key } })),
  'stored, without a company': stored(() => ({ claims: { company: undefined } })),
  'stored, for a company that is no id': stored(() => ({ claims: { company: '*' } })),
  'stored, scopes in a text': stored(() => ({ claims: { scopes: '*' } })),
  'stored, scopes of numbers': stored(() => ({ claims: { scopes: [1] } })),
  'stored, without scopes': stored(() => ({ claims: { scopes: undefined } })),
  'stored, with a role': stored(() => ({ claims: { role: 'OWNER', sv: 0 } })),
  'stored, of another issuer': stored(() => ({ claims: { iss: 'somebody' } })),
  'stored, longer than 4,096 characters': stored(() => ({
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

/** Valid tokens: if these were refused, the refusals above would prove nothing. */
export const GENUINE: Forgery[] = [
  ...family('genuine', {
    'as it was given': ({ user }) => user.token,
    'signed again by hand': claim({}),
    'signed by hand, with another id': claim(() => ({ jti: newId() })),
    'issued ahead of our clock': claim(() => ({ iat: seconds() + HOUR, exp: seconds() + 2 * HOUR })),
    'not before a moment from now': claim(() => ({ nbf: seconds() + 10 })),
    'of the previous secret': ({ user, previous, previousKid }) =>
      seal({ ...user.header, kid: previousKid }, user.claims, previous),
  }),
  { name: 'a stored key', family: 'genuine', make: stored(() => ({})) },
  { name: 'a stored key that ends', family: 'genuine', make: stored(() => ({ claims: { exp: seconds() + HOUR } })) },
  {
    name: 'small letters in the scheme',
    family: 'genuine',
    make: ({ user }) => ({ authorization: [`bearer ${user.token}`] }),
  },
];
