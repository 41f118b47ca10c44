/** Replaces what differs from one recording of docs/reference/examples.json to the next. */
import { PASSWORD } from '../test/support/people.ts';
import type { Json } from '../test/support/platform.ts';

const MADE_UP = [
  [/"eyJ[\w-]+\.[\w-]+\.[\w-]+"/g, '"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.e30.c2lnbmF0dXJl"'],
  [
    /("(?:challenge|id|rawId|clientDataJSON|attestationObject|authenticatorData|signature)":")[\w-]{40,}"/g,
    '$1wq3Yt0aV8mB2kR5nZ7cX1pL4sD6fG9hJ0uE3iO5yTxA"',
  ],
  [/\b(state|nonce|code_challenge)=[\w-]{43}/g, '$1=wq3Yt0aV8mB2kR5nZ7cX1pL4sD6fG9hJ0uE3iO5yTxA'],
  [/("token":")[\w-]{30,}"/g, '$1wq3Yt0aV8mB2kR5nZ7cX1pL4sD6fG9hJ0uE3iO5yTxA"'],
  [/http%3A%2F%2F127\.0\.0\.1%3A\d+/g, 'https%3A%2F%2Fcrm.example.com'],
  [/code=eyJ[\w.-]+/g, 'code=eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCIsImtpZCI6IjEifQ.e30.c2lnbmF0dXJl'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'https://crm.example.com'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '0f6c3d0e-5c52-4b0e-9d39-1f4a7d4c2b11'],
  [/wamid\.[\w+/=-]+/g, 'wamid.HBgNNTUxMTk4ODg4Nzc3NxUCABEYEjdGNTk2'],
  [/\/files\/([0-9a-f]{24})\/[\w-]{43}\./g, '/files/$1/kq3Yt0aV8mB2_R5nZ7cX1pL4sD6fG9hJ0uE3iO5yTxA.'],
  [/attachments\/[0-9a-f]{32}/g, 'attachments/9f86d081884c7d659a2feaa0c55ad015'],
  [/expires=\d+&signature=[\w-]+/g, 'expires=1795089600&signature=h7QkYt0aV8mB2_R5nZ7cX1pL4sD6fG9hJ0uE3iO5yTw'],
  [/("network_id":")\d+"/g, '$1920070352646140"'],
  [/("hint":")[^"]+"/g, '$1h7Qk"'],
  [/("(?:response_ms|ms)":)\d+/g, '$17'],
  [/(secret"?[:=]"?)[A-Z2-7]{32}/g, '$1JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  [/\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b/g, 'k3fp-7qza-m2xw-6bnd'],
  [/"code":"\d{6}"/g, '"code":"492039"'],
  [PASSWORD, 'a long pass phrase'],
] as const;

/** Replaces what differs from run to run, so that the same steps always give the same text. */
export function settle(recorded: object): Json {
  let text = JSON.stringify(recorded);
  for (const [pattern, made] of MADE_UP) text = text.replaceAll(pattern, made);
  const ids = new Map<string, string>();
  text = text.replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, (id) => {
    const known = ids.get(id) ?? `6b02563b112d487fe1c7${(0x1000 + ids.size).toString(16)}`;
    ids.set(id, known);
    return known;
  });
  const times = [...new Set(text.match(TIME) ?? [])].filter((time) => time < '2030').toSorted();
  return JSON.parse(
    text.replaceAll(TIME, (time) =>
      time < '2030' ? new Date(Date.UTC(2026, 10, 20, 12) + times.indexOf(time) * 1_000).toISOString() : time,
    ),
  );
}

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
