/** The process that inspects files, changed so that the text "loop" takes it for ever, and "eat" all of its memory. */
import { readBytes } from '../../src/platform/byte-source.ts';
import { serveParent, suppliedSource } from '../../src/platform/child-work.ts';
import { answerInspection, isInspection } from '../../src/platform/media/inspection.ts';

serveParent(async (request, supply) => {
  if (!isInspection(request)) return null;
  const text = String(await readBytes(suppliedSource(request.inspect, supply), 0, 5));
  while (text.startsWith('loop'));
  const eaten: object[] = [];
  while (text.startsWith('eat')) eaten.push({ text: `${eaten.length}`.repeat(100) });
  return answerInspection(request, supply);
});
