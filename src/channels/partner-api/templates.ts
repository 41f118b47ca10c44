/**
 * Templates of an instance with the Cloud API behind it, as the gateway reads them from the account: the first page of the Cloud API's list, which has
 * 25 templates. The gateway provides no other page.
 */
import { createHash } from 'node:crypto';
import { NetworkRefusal, type NetworkAccess } from '../channel.ts';
import { describeFailure } from '../gateway.ts';
import { makeCloudApiRules, type CLOUD_API_SETTINGS } from '../templates/cloud-api.ts';
import { UnreadList, type ChannelTemplates } from '../templates/network.ts';
import { readTemplates } from '../templates/read.ts';
import { asLabel, asList, asRecord } from '../values.ts';
import { callGateway, type GatewayCall } from './gateway.ts';
import { partnerApiSettings, type PartnerApiConfig } from './settings.ts';
import { declareLimit } from '../../platform/values/limits.ts';

type Network = Pick<NetworkAccess, 'outbound'>;

/** The Cloud API behind the gateway. All other integrations have no templates. */
const CLOUD_API = 'WHATSAPP-BUSINESS';
/** A template has some kilobytes at most. */
const MAX_LIST_BYTES = declareLimit(2 * 1024 * 1024, {
  topic: 'Campaigns',
  what: 'Templates: list from a gateway',
  unit: 'bytes',
  beyond: 'the list is not read',
});

export const createPartnerTemplates = (
  network: NetworkAccess<typeof CLOUD_API_SETTINGS>,
): ChannelTemplates<PartnerApiConfig> => ({
  ...makeCloudApiRules(network.environment),
  lacking:
    'is an inbox without templates: an instance of the gateway has templates only if it is connected to the Cloud API',
  list: async (config, _after, signal) => {
    const call = { method: 'GET', path: 'template/find', config, signal, maxBytes: MAX_LIST_BYTES } as const;
    const answer = await callGateway(network, call);
    if (answer.outcome === 'done') {
      // An answer without a list says nothing of the account, and must not remove its templates.
      if (!Array.isArray(answer.body.list)) throw new Error('the gateway answered without a list of templates');
      return { templates: await readTemplates(answer.body.list), next: null };
    }
    const words = describeFailure(answer);
    throw answer.outcome === 'refused' && answer.network
      ? new NetworkRefusal(words, answer.error)
      : new UnreadList(words);
  },
});

/** Returns the account behind an instance; null when it has no templates, and undefined when the gateway does not say what the instance is. */
export async function findTemplateAccount(
  network: Network,
  calling: Pick<GatewayCall, 'config' | 'signal'>,
): Promise<string | null | undefined> {
  const { instance_name: name } = calling.config;
  const query = { instanceName: name };
  const answer = await callGateway(network, { method: 'GET', path: 'instance/fetchInstances', query, ...calling });
  const listed = answer.outcome === 'done' ? asList(answer.body.list).map(asRecord) : [];
  const integration = asLabel(listed.find((instance) => instance?.name === name)?.integration);
  if (integration === null) return undefined;
  if (integration !== CLOUD_API) return null;
  // Each instance is an account of its own: what a gateway says of the business behind it is not proven.
  const address = partnerApiSettings.address?.(calling.config) ?? '';
  return createHash('sha256').update(address).digest('hex');
}
