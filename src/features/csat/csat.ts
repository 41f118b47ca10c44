import type { Kit } from '../../kit.ts';
import { emit } from '../../platform/store/events.ts';
import { expectFound } from '../../platform/values/errors.ts';
import { pageWindow, type Page } from '../../platform/store/paging.ts';
import type { Tenant, TenantRead } from '../../platform/store/tenant.ts';
import { refuseUnknown } from '../../platform/store/unknown-references.ts';
import { readSurveyToken } from './compose.ts';
import { renderSurvey } from './page.ts';
import { rateSurveys } from './ingest-queries.ts';
import { findAsked, findSurveys, findUnknownFilters, listSurveys, type SurveyFilters } from './queries.ts';
import type { CsatSurvey, CsatSurveyQuery, Score } from './schemas.ts';

/** Throws UNKNOWN_REFERENCE for a filter that names no record. */
export async function pageSurveys({ read }: Tenant, query: CsatSurveyQuery): Promise<Page<CsatSurvey>> {
  const { conversation = null, inbox = null, user = null, agent = null, rated = null } = query;
  const filters: SurveyFilters = { conversation, inbox, user, agent, rated };
  refuseUnknown(await findUnknownFilters(read, filters));
  return listSurveys(read, filters, pageWindow('csat-surveys', query));
}

export async function readSurvey({ read }: Tenant, id: string): Promise<CsatSurvey> {
  const [survey] = await findSurveys(read, [id]);
  return expectFound(survey ?? null);
}

export const readSurveys = (read: TenantRead, ids: string[]): Promise<CsatSurvey[]> => findSurveys(read, ids);

/** Returns the page of a survey, with this score chosen; null when no survey has the link. */
export async function showSurvey(kit: Kit, token: string, chosen: Score | null): Promise<string | null> {
  const named = readSurveyToken(kit, token);
  const asked = named && (await findAsked(kit.database.read(named.company), named.id));
  return asked && renderSurvey(asked, chosen);
}

/** Stores the answer that the page of a survey was sent with, and returns the page that says so; null when no survey has the link. A repetition changes nothing. */
export async function rateByLink(
  kit: Kit,
  token: string,
  { score, comment }: { score: Score | null; comment: string | null },
): Promise<string | null> {
  const named = readSurveyToken(kit, token);
  if (!named || score === null) return showSurvey(kit, token, null);
  const { company, id } = named;
  return kit.database.tenantTx(company, async (tx) => {
    const rated = await rateSurveys(tx, [{ company, survey: id, score, comment, contact: null }]);
    await emit(
      tx,
      rated.map((data) => ({ event: 'CSAT_RATED', data })),
    );
    const asked = await findAsked(tx, id);
    return asked && renderSurvey(asked, null);
  });
}
