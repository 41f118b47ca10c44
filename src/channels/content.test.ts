import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listParts, type MessageContent } from './content.ts';

const place = { latitude: 1, longitude: 2, name: null, address: null, url: null };

test('a content has the parts of its type only, which the compiler checks, and the table and the API show null for the others', () => {
  const contents: MessageContent[] = [
    { contentType: 'LOCATION', location: place },
    // @ts-expect-error -- A text has no place.
    { contentType: 'TEXT', content: 'Here', location: place },
    // @ts-expect-error -- A location without its place is none.
    { contentType: 'LOCATION', content: 'Here' },
  ];
  const [content] = contents;
  assert.ok(content);
  const { contentType, location, ...others } = listParts(content);
  assert.deepEqual([contentType, location], ['LOCATION', place]);
  assert.deepEqual(new Set(Object.values(others)), new Set([null]));
});
