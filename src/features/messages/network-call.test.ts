import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { OutboundFile } from '../../channels/media.ts';
import { findTimeLimit } from './network-call.ts';

const file: OutboundFile = {
  mimeType: 'application/pdf',
  fileName: 'order.pdf',
  bytes: 1,
  url: 'https://files.example.test/1',
  voice: false,
  networkId: null,
  open: () => Promise.resolve(Readable.from([])),
};
const uploadFile = () => Promise.reject(new Error('not called'));

test('a message whose file travels with it has more time than a message alone, or one whose file was uploaded before', () => {
  const alone = findTimeLimit({}, { file: null });
  assert.ok(findTimeLimit({}, { file }) > alone);
  assert.equal(findTimeLimit({ uploadFile }, { file }), alone);
});
