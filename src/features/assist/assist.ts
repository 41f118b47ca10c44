/**
 * What a model writes for the people of a company: drafts, rewritten texts, summaries and translations. It takes the way of an agent's answer,
 * with the same limits and guards, and nothing is sent or stored. The audit has each use with its cost.
 */
import type { ChatEndpoint } from '../../ai/chat.ts';
import type { Kit } from '../../kit.ts';
import { AppError, expectFound, invalid } from '../../platform/values/errors.ts';
import type { AiUse } from '../../platform/values/ai-use.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import type { Tenant } from '../../platform/store/tenant.ts';
import { expectAgent } from '../agents/agents.ts';
import type { FoundAnswer } from '../agents/answers/answer.ts';
import { workOut } from '../agents/answers/find.ts';
import { draftByModel, MOST_LINE, writeByModel } from '../agents/answers/model.ts';
import { readContents } from '../agents/contents/contents.ts';
import type { Scene } from '../agents/tools/tool.ts';
import { readOpenQuestion } from '../agents/turns/dialog.ts';
import type { AnswerWork, HandoffReason } from '../agents/turns/schemas.ts';
import type { Conversation } from '../conversations/schemas.ts';
import { expectConversation } from '../conversations/conversations.ts';
import { readMessage } from '../messages/messages.ts';
import { MAX_TEXT } from '../messages/schemas.ts';
import { findSettings } from './queries.ts';
import { rewriteRules, summaryRules, translationRules } from './rules.ts';
import type {
  Act,
  Draft,
  Rewrite,
  RewriteAsked,
  Summary,
  SummaryAsked,
  Translation,
  TranslationAsked,
} from './schemas.ts';

const SUMMARIZED = declareLimit(100, {
  topic: 'Agents',
  what: 'AI assist: messages read for a summary',
  beyond: 'only the last ones',
});
// A translation can have more tokens than the answer of an agent, and may not be cut.
const VERSION_TOKENS = declareLimit(3_000, {
  topic: 'Agents',
  what: 'AI assist: tokens of a rewritten or translated text',
  beyond: '409',
});

/** Who asks, and what ends the work and admits it. */
export interface Asking {
  kit: Kit;
  tenant: Tenant;
  signal: AbortSignal;
  /** Waits for a place among the company's uses. */
  admit: () => Promise<void>;
}

export async function draftReply(asking: Asking, id: string): Promise<Draft> {
  const { tenant } = asking;
  const conversation = await expectConversation(tenant.read, id);
  const { text, work } = await use(asking, { act: 'DRAFT', conversation }, async (scene, endpoint, signal) => {
    const asked = expectFound(await readOpenQuestion(tenant.read, id));
    if (asked.asked === '' && asked.before.length + asked.files.length === 0) return NOTHING;
    const { question, contents } = await readContents(scene, endpoint, { question: asked, signal });
    return draftByModel(scene, endpoint, { question, contents, signal });
  });
  return { text, passages: work.passages.map(({ item, name, content }) => ({ item, name, content })) };
}

export async function summarize(asking: Asking, id: string, { language }: SummaryAsked): Promise<Summary> {
  const { tenant } = asking;
  const conversation = await expectConversation(tenant.read, id);
  const { text } = await use(asking, { act: 'SUMMARIZE', conversation }, async (scene, endpoint, signal) => {
    const { before, asked } = expectFound(await readOpenQuestion(tenant.read, id, SUMMARIZED));
    const said = asked === '' ? before : [...before, { from: 'CONTACT', text: asked }];
    if (said.length === 0) return NOTHING;
    const lines = said.map(({ from, text: line }) => ({ from, text: line.slice(0, MOST_LINE).toWellFormed() }));
    const content = JSON.stringify(lines);
    scene.read.texts.push(...lines.map((line) => line.text));
    const messages = [
      { role: 'system' as const, content: summaryRules(language) },
      { role: 'user' as const, content },
    ];
    return writeByModel(scene, endpoint, { messages, signal });
  });
  return { text };
}

export async function rewrite(asking: Asking, id: string, { text, style, language }: RewriteAsked): Promise<Rewrite> {
  if (style !== 'TRANSLATE') {
    const conversation = await expectConversation(asking.tenant.read, id);
    return { text: await writeVersion(asking, { act: 'REWRITE', conversation }, rewriteRules(style), text) };
  }
  if (language === undefined) throw invalid('language', 'is required for TRANSLATE', 'REQUIRED');
  const conversation = await expectConversation(asking.tenant.read, id);
  return { text: await writeVersion(asking, { act: 'TRANSLATE', conversation }, translationRules(language), text) };
}

export async function translateMessage(
  asking: Asking,
  id: string,
  { language }: TranslationAsked,
): Promise<Translation> {
  const { content, conversation: place } = await readMessage(asking.tenant, id);
  if (!content?.trim()) throw invalid('id', 'names a message without text', 'NO_TEXT');
  const conversation = await expectConversation(asking.tenant.read, place);
  const source = content.slice(0, MAX_TEXT).toWellFormed();
  const text = await writeVersion(asking, { act: 'TRANSLATE', conversation }, translationRules(language), source);
  return { text, is_shortened: content.length > MAX_TEXT };
}

/** Nothing was written yet that a model could read. */
const NOTHING: FoundAnswer = { text: null, reason: 'NO_ANSWER' };

interface Used {
  act: Act;
  conversation: Conversation;
}

async function writeVersion(asking: Asking, used: Used, rules: string, text: string): Promise<string> {
  const written = await use(asking, used, (scene, endpoint, signal) => {
    scene.read.texts.push(text);
    const messages = [
      { role: 'system' as const, content: rules },
      { role: 'user' as const, content: text },
    ];
    return writeByModel(scene, endpoint, { messages, signal, maxTokens: VERSION_TOKENS, isVersion: true });
  });
  return written.text;
}

type Find = (scene: Scene, endpoint: ChatEndpoint, signal: AbortSignal) => Promise<FoundAnswer>;

/** Throws AI_NOT_ENABLED where the company does not allow the act, and AI_FAILED when the model has written nothing that can be used. */
async function use(
  asking: Asking,
  { act, conversation }: Used,
  find: Find,
): Promise<{ text: string; work: AnswerWork }> {
  const { kit, tenant, signal, admit } = asking;
  const settings = await findSettings(tenant.read);
  const endpoint = kit.config.chat;
  if (!endpoint || settings?.status !== 'ACTIVE' || !settings.acts.includes(act)) throw new AppError('AI_NOT_ENABLED');
  const agent = await expectAgent(tenant.read, settings.agent);
  await admit();
  const scene = { kit, acting: tenant, agent, conversation };
  let model: string | null = null;
  const found = await workOut(scene, signal, (open, limited) =>
    find(open, endpoint, limited).finally(() => ({ model } = open.notes)),
  ).catch(async (error: unknown) => {
    // Failure policy: the error is thrown on, also if the use cannot be noted. A caller who hangs up has used the model all the same.
    const used = model === null ? null : { model, input_tokens: null, output_tokens: null, cost: null };
    await note(tenant, used).catch((err: unknown) => kit.log.warn({ err }, 'assist: a use could not be noted'));
    throw error;
  });
  const { text, reason, work } = found;
  const { input_tokens, output_tokens, cost } = work;
  await note(tenant, work.model === null ? null : { model: work.model, input_tokens, output_tokens, cost });
  if (text === null) throw failed(reason ?? 'NO_ANSWER');
  return { text, work };
}

/** Writes the audit entry of a use. */
async function note(tenant: Tenant, used: AiUse | null): Promise<void> {
  if (used !== null) await tenant.tx(async (tx) => tx.usedAi(used));
}

const WORDS: Partial<Record<HandoffReason, string>> = {
  BUDGET_SPENT: 'has no tokens left for today',
  ANSWER_FAILED: 'could not be reached, or took too long',
  ANSWER_CUT: 'did not finish the text',
  ONLY_REASONING: 'wrote its reasoning only',
};

function failed(code: HandoffReason): AppError {
  const message = WORDS[code] ?? 'wrote nothing';
  return new AppError('AI_FAILED', `The model ${message}`, [{ path: 'model', code, message }]);
}
