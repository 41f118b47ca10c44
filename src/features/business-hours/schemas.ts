import { Type, type Static } from 'typebox';
import { openDays, SpecialDate, timeZone } from '../../channels/office-hours.ts';
import { pageQuery, pageSchema } from '../../platform/store/paging.ts';
import { declareLimit } from '../../platform/values/limits.ts';
import { define, Name, recordId, ref, strict, Timestamp } from '../../platform/values/schema.ts';

export const MAX_HOURS = declareLimit(100, { topic: 'Accounts', what: 'Business hours per company', beyond: '400' });
const MAX_DATES = declareLimit(366, { topic: 'Accounts', what: 'Special dates of business hours', beyond: '400' });

const properties = {
  name: Type.String({ ...Name, maxLength: 80, description: 'What people call these hours' }),
  time_zone: timeZone,
  days: openDays,
};
const special_dates = Type.Array(SpecialDate, {
  maxItems: MAX_DATES,
  description: 'Dates with hours of their own, such as holidays, in any order',
});

export const BusinessHours = define(
  'BusinessHours',
  Type.Object({
    _id: recordId('business-hours'),
    company: recordId('company'),
    ...properties,
    special_dates,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  }),
);
export type BusinessHours = Static<typeof BusinessHours>;

export const BusinessHoursCreate = define(
  'BusinessHoursCreate',
  strict({ ...properties, special_dates: Type.Optional(special_dates) }),
);
export type BusinessHoursCreate = Static<typeof BusinessHoursCreate>;

export const BusinessHoursUpdate = define(
  'BusinessHoursUpdate',
  Type.Partial(strict({ ...properties, special_dates }), { additionalProperties: false }),
);
export type BusinessHoursUpdate = Static<typeof BusinessHoursUpdate>;

export const BusinessHoursParams = Type.Object({ id: recordId('business-hours') });
export const BusinessHoursList = pageSchema(ref(BusinessHours));
export const BusinessHoursQuery = pageQuery('-createdAt', {});
export type BusinessHoursQuery = Static<typeof BusinessHoursQuery>;
