/** What the solutions share: a call of the API. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export const url = process.env['PARLEY_URL'] ?? '';

export async function call(method: string, path: string, body?: Json): Promise<Json> {
  const isForm = body instanceof FormData;
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${process.env['PARLEY_KEY']}`,
      ...(body && !isForm && { 'content-type': 'application/json' }),
    },
    ...(body && { body: isForm ? body : JSON.stringify(body) }),
  });
  const told = await answer.json();
  if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(told)}`);
  return told;
}

export async function findWhatsApp(): Promise<Json> {
  return (await call('GET', '/v1/inboxes?channel=WAP_AUTO_CLOSER')).result[0];
}
