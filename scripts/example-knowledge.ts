/** The steps of scripts/examples.ts about knowledge. */
import { waitUntil } from '../test/support/wait.ts';
import type { Take } from './example-steps.ts';

/** `forget` drops the example of a GET, so that its next call is recorded. */
export async function recordKnowledge(take: Take, forget: (path: string) => void): Promise<void> {
  const content = '# Delivery\n\nWe deliver cakes on weekdays.\n\n## Prices\n\nDelivery costs 5.00 within the city.';
  const { _id } = await take('POST /v1/knowledge/autcl', '', {
    body: { name: 'Delivery', content, language: 'en', tags: ['cakes'] },
  });
  await waitUntil('the item to be prepared', async () => {
    forget('/v1/knowledge/{id}');
    return (await take('GET /v1/knowledge/{id}', _id)).status === 'READY';
  });
  await take('PUT /v1/knowledge/autcl/{id}', _id, { body: { description: 'When and where we deliver' } });
  await take('POST /v1/knowledge/{id}/retry', _id);
  const groups = [{ language: 'en', words: ['cake', 'pie', 'torte'] }];
  await take('PUT /v1/knowledge/synonyms', '', { body: { groups } });
  await take('GET /v1/knowledge/synonyms');
  await take('POST /v1/knowledge/search', '', { body: { query: 'How much is the delivery?', limit: 2 } });
  await take('DELETE /v1/knowledge/{id}', _id);
  await take('POST /v1/knowledge/upload', '', {
    form: { name: 'Opening hours', language: 'en', file: 'We are open from nine to six.\n' },
    fileName: 'hours.txt',
  });
}
