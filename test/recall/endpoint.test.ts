import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { startEmbeddingServer, type Model } from '../support/embeddings.ts';
import { startPlatform } from '../support/platform.ts';
import { createRandom } from '../support/random.ts';
import { countRecall, listLosses, rankAnswers } from './measure-recall.ts';
import { LANGUAGES, loadQuestionSet, readQuestions } from './question-set.ts';

const DIMENSIONS = 64;
// How far the vector of a question is from that of its answer. With this much, the model itself puts some two thirds of the answers first.
const NOISE = 2.3;

/** Makes a model that knows the answers, but not well: the vector of a question is that of its answer with noise. */
function makeModel(): Model {
  const answers = new Map(LANGUAGES.flatMap(readQuestions).map(({ text, headings }) => [text, headings]));
  return (input) => {
    const answer = answers.get(input);
    // The text of a passage begins with its headings.
    if (answer === undefined) return drawDirection(input.split('\n').slice(0, 2).join('\n'));
    const noise = drawDirection(input);
    return drawDirection(answer).map((value, at) => value + NOISE * (noise[at] ?? 0));
  };
}

/** Returns a direction that depends on the text alone. */
function drawDirection(text: string): number[] {
  const random = createRandom(createHash('sha256').update(text).digest().readUInt32LE());
  // A sum of three uniform numbers is nearly normal.
  return Array.from({ length: DIMENSIONS }, () => random() + random() + random() - 1.5);
}

const server = await startEmbeddingServer(makeModel());
after(() => server.close());
const platform = await startPlatform({ env: { EMBEDDINGS_BASE_URL: server.url, EMBEDDINGS_MODEL: 'meaning-1' } });
const set = await loadQuestionSet(platform);

test('with an endpoint in the configuration, more answers are found than by its vectors or by words alone, in each language', async () => {
  const ranked = await rankAnswers(platform.running.kit, set);
  const recalls = countRecall(ranked);
  assert.deepEqual(listLosses(recalls), []);
  for (const language of LANGUAGES) {
    const [stems = 0, vectors = 0, hybrid = 0] = ['stems', 'vectors', 'hybrid'].map(
      (method) => recalls.find((recall) => recall.language === language && recall.method === method)?.found[0],
    );
    assert.ok(hybrid > Math.max(stems, vectors), `${language}: ${hybrid} of ${stems} and ${vectors}`);
  }
});
