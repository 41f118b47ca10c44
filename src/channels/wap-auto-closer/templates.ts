/** The templates of a WhatsApp business account: lists them, submits them to the review, and removes them. */
import { NetworkRefusal } from '../channel.ts';
import type { ChannelTemplates, NetworkTemplate, TemplateDraft, TemplatePage } from '../templates/network.ts';
import { listVariables } from '../templates/shape.ts';
import { describeFailure, type Graph, type GraphAnswer, type GraphCall } from './graph.ts';
import type { WapConfig } from './settings.ts';
import { asIdentifier, asLabel, asList, asRecord, asText, toStorable, type Json } from '../values.ts';

/** The templates of one page. A page of the network's default size would take four times as many calls. */
const PAGE = 100;
/** A template has some kilobytes at most; a page with more than this is not one of the Graph API. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const FIELDS = 'id,name,language,status,category,components,parameter_format,quality_score,rejected_reason';

export function createWapTemplates(graph: Graph): ChannelTemplates<WapConfig> {
  const callTemplates = (
    config: WapConfig,
    signal: AbortSignal,
    call: Pick<GraphCall, 'method' | 'query' | 'body'>,
  ): Promise<GraphAnswer> => {
    const path = [config.waba_id, 'message_templates'];
    return graph({ ...call, path, token: config.business_token, signal, maxBytes: MAX_PAGE_BYTES });
  };
  return {
    list: async (config, after, signal) => {
      const query = { fields: FIELDS, limit: String(PAGE), ...(after === null ? {} : { after }) };
      return readPage(expectDone(await callTemplates(config, signal, { method: 'GET', query })));
    },
    submit: async (config, draft, signal) => {
      const body = expectDone(await callTemplates(config, signal, { method: 'POST', body: toBody(draft) }));
      const { id, status, category } = body;
      return {
        networkId: asIdentifier(id),
        status: asLabel(status)?.toUpperCase() ?? 'PENDING',
        category: asLabel(category)?.toUpperCase() ?? draft.category,
      };
    },
    remove: async (config, name, signal) => {
      const answer = await callTemplates(config, signal, { method: 'DELETE', query: { name } });
      if (answer.outcome === 'done') return;
      if (answer.outcome === 'refused' && answer.network) {
        // The network refuses to remove a template that it does not have, and its codes do not tell this from other refusals.
        const query = { fields: 'name', limit: String(PAGE), name };
        const left = await callTemplates(config, signal, { method: 'GET', query });
        if (left.outcome === 'done' && !readObjects(left.body.data).some((item) => item.name === name)) return;
      }
      expectDone(answer);
    },
    concernsTemplate: (code) => typeof code === 'number' && code >= FIRST_TEMPLATE_CODE && code <= LAST_TEMPLATE_CODE,
    // Each of them fails with 131049.
    restingCodes: [131_049],
    undelivered: [{ category: 'MARKETING', country: 'US' }],
  };
}

/** The network's codes for refused templates: wrong parameters, an unknown translation, a paused or disabled template. */
const FIRST_TEMPLATE_CODE = 132_000;
const LAST_TEMPLATE_CODE = 132_999;

/** Returns the body of the answer. A network that was never reached has refused nothing. */
function expectDone(answer: GraphAnswer): Json {
  if (answer.outcome === 'done') return answer.body;
  const sentence = describeFailure(answer);
  if (answer.outcome === 'refused' && answer.error.code !== 'PROVIDER_UNREACHABLE')
    throw new NetworkRefusal(sentence, answer.error);
  throw new Error(sentence);
}

const readObjects = (value: unknown): Json[] =>
  asList(value)
    .map(asRecord)
    .filter((item) => item !== null);

function readPage({ data, paging }: Json): TemplatePage {
  const { next, cursors } = asRecord(paging) ?? {};
  const after = asText(asRecord(cursors)?.after);
  return {
    templates: readObjects(data).flatMap((item) => readTemplate(item) ?? []),
    // The last page has cursors, too, but no `next`.
    next: typeof next === 'string' && after ? after : null,
  };
}

/** Reads a template; null when it has no name or language, so that nobody could send it. */
function readTemplate(item: Json): NetworkTemplate | null {
  const [name, language] = [asIdentifier(item.name), asIdentifier(item.language)];
  if (name === null || language === null) return null;
  const components = readObjects(toStorable(item.components));
  return {
    networkId: asIdentifier(item.id),
    name,
    language,
    category: asLabel(item.category)?.toUpperCase() ?? 'UNKNOWN',
    status: asLabel(item.status)?.toUpperCase() ?? 'UNKNOWN',
    quality: readQuality(item.quality_score),
    parameterFormat: readFormat(item.parameter_format, components),
    components,
    rejectedReason: readReason(item.rejected_reason),
  };
}

export const readQuality = (value: unknown): string | null =>
  asLabel(asRecord(value)?.score ?? value)?.toUpperCase() ?? null;

/** The network writes NONE for a template that was not rejected. */
export function readReason(value: unknown): string | null {
  const reason = asLabel(value);
  return reason === null || reason.toUpperCase() === 'NONE' ? null : reason;
}

/** Templates from before named variables existed do not say their format. */
function readFormat(value: unknown, components: Json[]): NetworkTemplate['parameterFormat'] {
  const format = asLabel(value)?.toUpperCase();
  if (format === 'NAMED' || format === 'POSITIONAL') return format;
  const names = components.flatMap(({ text }) => listVariables(asText(text) ?? ''));
  return names.some((name) => !/^\d+$/.test(name)) ? 'NAMED' : 'POSITIONAL';
}

function toBody({ name, language, category, parameterFormat, components }: TemplateDraft): Json {
  const format = parameterFormat === 'NAMED' ? { parameter_format: 'named' } : {};
  return { name, language, category, ...format, components };
}
