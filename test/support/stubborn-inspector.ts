/** The process that inspects files, changed so that the text "loop" takes it for ever, and "eat" all of its memory. */
import { readBytes } from '../../src/platform/store/byte-source.ts';
import { serveParent, suppliedSource } from '../../src/platform/work/child-work.ts';
import { eatHeap } from './eat-heap.ts';
import { answerInspection, isInspection } from '../../src/platform/work/media/inspection.ts';

serveParent(async (request, supply) => {
  if (!isInspection(request)) return null;
  const text = String(await readBytes(suppliedSource(request.inspect, supply), 0, 5));
  while (text.startsWith('loop'));
  if (text.startsWith('eat')) eatHeap();
  return answerInspection(request, supply);
});
