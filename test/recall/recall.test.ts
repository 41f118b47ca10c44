import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startPlatform } from '../support/platform.ts';
import { countRecall, listLosses, rankAnswers } from './measure-recall.ts';
import { LANGUAGES, loadQuestionSet } from './question-set.ts';

// How many of a hundred answers are at least among the first three and the first ten passages. They are some points below what is measured.
const FLOORS = [45, 60];

const platform = await startPlatform();
const set = await loadQuestionSet(platform);

test('the question set has 300 passages, 30 questions in each language, and half of them share no word with their answers', () => {
  assert.ok(set.passages >= 300, `${set.passages}`);
  for (const language of LANGUAGES) {
    const questions = set.questions.filter((question) => question.language === language);
    const unshared = questions.filter(({ sharesWord }) => !sharesWord);
    assert.ok(questions.length >= 30 && unshared.length * 2 >= questions.length, `${language}: ${unshared.length}`);
  }
});

test('all ways of searching together find at least as many answers as each of them alone, in each language', async () => {
  const recalls = countRecall(await rankAnswers(platform.running.kit, set));
  assert.deepEqual(listLosses(recalls), []);
  for (const { language, questions, found } of recalls.filter(({ method }) => method === 'hybrid')) {
    for (const [at, floor] of FLOORS.entries()) {
      const percent = ((found[at + 1] ?? 0) * 100) / questions;
      assert.ok(percent >= floor, `${language}: ${percent} %`);
    }
  }
});
