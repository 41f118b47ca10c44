import { exec } from '../../platform/store/db.ts';
import type { SystemTx } from '../../platform/store/tenant.ts';

export interface FirstPipeline {
  company: string;
  _id: string;
  name: string;
  steps: { _id: string; name: string; kind: string }[];
}

export function insertDefaultPipeline(tx: SystemTx, { company, _id, name, steps }: FirstPipeline): Promise<number> {
  return exec(tx, {
    name: 'pipelines.insertDefault',
    text: `with made as (
        insert into pipelines (company_id, _id, name, is_default) values ($1, $2, $3, true) returning company_id, _id
      )
      insert into pipeline_steps (company_id, pipeline_id, _id, name, kind, position)
      select made.company_id, made._id, s._id, s.name, s.kind, s.place - 1
      from made cross join unnest($4::text[], $5::text[], $6::text[]) with ordinality as s (_id, name, kind, place)`,
    values: [
      company,
      _id,
      name,
      steps.map((step) => step._id),
      steps.map((step) => step.name),
      steps.map((step) => step.kind),
    ],
  });
}
