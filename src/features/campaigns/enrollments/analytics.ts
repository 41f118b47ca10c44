/** What has become of a campaign, from counters that move in the same transaction as the states of its contacts. */
import type { Tenant } from '../../../platform/store/tenant.ts';
import { countUnknown } from '../../messages/send-many.ts';
import { expectCampaign } from '../campaigns.ts';
import { listCounters, type Counter } from './queries.ts';
import type { CampaignAnalytics } from './schemas.ts';
import { declareLimit } from '../../../platform/values/limits.ts';

export const COUNTED = ['sent', 'delivered', 'read', 'replied', 'failed'] as const;
type Counted = Record<(typeof COUNTED)[number], number>;
// The causes and hours that are shown.
const MAX_FAILURES = declareLimit(100, {
  topic: 'Campaigns',
  what: 'Campaign analytics: causes of failure',
  beyond: 'the others are left out',
});
const MAX_HOURS = declareLimit(2_000, {
  topic: 'Campaigns',
  what: 'Campaign analytics: hours',
  beyond: 'only the last ones',
});

export async function readAnalytics(tenant: Tenant, id: string): Promise<CampaignAnalytics> {
  const { status, steps } = await expectCampaign(tenant.read, id);
  const scopes = Map.groupBy(await listCounters(tenant.read, id), ({ scope }) => scope);
  const total = readScope(scopes.get('total'));
  const { sent = 0, delivered = 0, read = 0, replied = 0, failed = 0 } = total;
  const { enrolled = 0, pending = 0, skipped = 0, cancelled = 0 } = total;
  const unknown = pending === 0 ? 0 : await countUnknown(tenant.read, id);
  return {
    campaign: id,
    status,
    total_contacts: enrolled,
    pending,
    unknown,
    sent,
    delivered,
    read,
    replied,
    failed,
    skipped,
    cancelled,
    delivery_rate: toRate(delivered, sent),
    read_rate: toRate(read, sent),
    reply_rate: toRate(replied, sent),
    failure_rate: toRate(failed, sent),
    skip_reasons: (scopes.get('skipped') ?? []).map(({ name, amount }) => ({ reason: name, count: amount })),
    failures: toFailures(scopes.get('failure')),
    steps: steps.map((_, index) => ({ index, ...pickCounted(scopes.get(`step.${index}`)) })),
    series: [...scopes]
      .flatMap(([scope, counters]) =>
        scope.startsWith('hour.') ? [{ hour: scope.slice('hour.'.length), ...pickCounted(counters) }] : [],
      )
      .toSorted((a, b) => (a.hour < b.hour ? -1 : 1))
      .slice(-MAX_HOURS),
    generated_at: new Date().toISOString(),
  };
}

const readScope = (counters: Counter[] = []): Partial<Record<string, number>> =>
  Object.fromEntries(counters.map(({ name, amount }) => [name, amount]));

function pickCounted(counters: Counter[] | undefined): Counted {
  const amounts = readScope(counters);
  return Object.fromEntries(COUNTED.map((name) => [name, amounts[name] ?? 0])) as Counted;
}

/** A share of the sent ones. More failures than sent messages are all of them. */
const toRate = (part: number, sent: number): number =>
  part === 0 ? 0 : part >= sent ? 1 : Math.round((part / sent) * 10_000) / 10_000;

/** The counter's name is the code, a blank and the words. */
const toFailures = (counters: Counter[] = []) =>
  counters
    .map(({ name, amount }) => {
      const [code = '', ...words] = name.split(' ');
      return { code: /^\d+$/.test(code) ? Number(code) : code, message: words.join(' '), count: amount };
    })
    .toSorted((a, b) => b.count - a.count)
    .slice(0, MAX_FAILURES);
