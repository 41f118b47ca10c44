import { many } from '../../platform/store/db.ts';
import type { SystemTx, TenantTx } from '../../platform/store/tenant.ts';
import { COLUMNS, SENT } from './queries.ts';
import type { CsatSurvey, Score } from './schemas.ts';

/** An answer of a contact. */
export interface Rating {
  company: string;
  survey: string;
  score: Score;
  comment: string | null;
  /** The contact who answers; null for the reader of a page, whose address no one else has. */
  contact: string | null;
}

/** Stores the first answer to each survey, and returns the surveys that were answered. */
export function rateSurveys(tx: TenantTx | SystemTx, ratings: Rating[]): Promise<CsatSurvey[]> {
  return many(tx, {
    name: 'csat.rate',
    text: `update csat_surveys s set score = r.score, comment = r.comment, rated_at = now(), updated_at = now()
      from (select distinct on (company_id, _id) * from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[]) with ordinality
        as r (company_id, _id, score, comment, contact_id, place) order by company_id, _id, place) r
      where s.company_id = r.company_id and s._id = r._id and s.score is null and ${SENT}
        and (r.contact_id is null or exists (select from conversations v
          where v.company_id = s.company_id and v._id = s.conversation_id and v.contact_id = r.contact_id))
      returning ${COLUMNS}`,
    values: [
      ratings.map(({ company }) => company),
      ratings.map(({ survey }) => survey),
      ratings.map(({ score }) => score),
      ratings.map(({ comment }) => comment),
      ratings.map(({ contact }) => contact),
    ],
  });
}
