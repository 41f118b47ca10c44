/** The answers to the questions before the first message, which go to the platform with it. */
import { getOwnProperty } from '../../browser/own-property.ts';
import { createStore } from '../../browser/store.ts';
import type { Answer, Answers, Question } from '../api/types.ts';

/** Null until the visitor has answered, and again once the platform has stored the answers. */
export const answers = createStore<Answers | null>(null);

/** What is typed into a field: the options of a list, else a text. */
export type Typed = string | string[];
export type AnswerProblem = 'required' | 'wrongEmail' | 'wrongNumber';

/** Returns the answer as the platform takes it; null when nothing was typed. */
function readAnswer({ type, options }: Question, typed: Typed): Answer | null {
  const listed = Array.isArray(typed) ? typed : options.length > 0 ? [] : typed.split(',').map((part) => part.trim());
  if (type === 'LIST') return listed.some(Boolean) ? listed.filter(Boolean) : null;
  const text = String(typed).trim();
  if (text === '') return null;
  if (type === 'NUMBER') return Number(text.replace(',', '.'));
  return type === 'BOOLEAN' ? text === 'true' : text;
}

/** Says what is wrong with an answer, so that the visitor hears of it before anything is sent. */
export function findProblem(question: Question, typed: Typed): AnswerProblem | null {
  const answer = readAnswer(question, typed);
  if (answer === null) return question.required ? 'required' : null;
  if (question.type === 'NUMBER' && Number.isNaN(answer)) return 'wrongNumber';
  if (question.kind === 'EMAIL' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(String(answer))) return 'wrongEmail';
  return null;
}

/** Returns all answers by the keys of their questions, without those that are empty. */
export function readAnswers(questions: readonly Question[], typed: Readonly<Record<string, Typed>>): Answers {
  const given = questions.flatMap((question) => {
    const answer = readAnswer(question, getOwnProperty(typed, question.key) ?? '');
    return answer === null ? [] : [[question.key, answer] as const];
  });
  return Object.fromEntries(given);
}
