/** The templates of a WhatsApp business account: lists them, submits them to the review, changes and removes them. */
import { NetworkRefusal } from '../channel.ts';
import type { SettingValues } from '../../platform/values/setting-kinds.ts';
import { makeCloudApiRules } from '../templates/cloud-api.ts';
import type { ChannelTemplates, TemplateDraft, TemplatePage } from '../templates/network.ts';
import { readObjects, readTemplates } from '../templates/read.ts';
import type { wapEnvironment } from './environment.ts';
import { describeFailure, type Graph, type GraphAnswer, type GraphCall } from './graph.ts';
import type { WapConfig } from './settings.ts';
import { asIdentifier, asLabel, asRecord, asText, type Json } from '../values.ts';

/** The templates of one page. A page of the network's default size would take four times as many calls. */
const PAGE = 100;
/** A template has some kilobytes at most; a page with more than this is not one of the Graph API. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024;
const FIELDS = 'id,name,language,status,category,components,parameter_format,quality_score,rejected_reason';

export function createWapTemplates(
  graph: Graph,
  environment: SettingValues<typeof wapEnvironment.settings>,
): ChannelTemplates<WapConfig> {
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
    edit: async (config, networkId, contents, signal) => {
      const call = { method: 'POST', path: [networkId], body: contents, token: config.business_token, signal } as const;
      expectDone(await graph(call));
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
    ...makeCloudApiRules(environment),
  };
}

/** Returns the body of the answer. A network that was never reached has refused nothing. */
function expectDone(answer: GraphAnswer): Json {
  if (answer.outcome === 'done') return answer.body;
  const sentence = describeFailure(answer);
  if (answer.outcome === 'refused' && answer.error.code !== 'PROVIDER_UNREACHABLE')
    throw new NetworkRefusal(sentence, answer.error);
  throw new Error(sentence);
}

async function readPage({ data, paging }: Json): Promise<TemplatePage> {
  const { next, cursors } = asRecord(paging) ?? {};
  const after = asText(asRecord(cursors)?.after);
  return {
    templates: await readTemplates(data),
    // The last page has cursors, too, but no `next`.
    next: typeof next === 'string' && after ? after : null,
  };
}

function toBody({ name, language, category, parameterFormat, components }: TemplateDraft): Json {
  const format = parameterFormat === 'NAMED' ? { parameter_format: 'named' } : {};
  return { name, language, category, ...format, components };
}
