/** The record of the company as its form holds it. */
import type { Company, CompanyUpdate } from '@parley/sdk';
import { useKeptForm, type KeptForm } from '../../ui/kept-form.tsx';

type Config = Company['general_config'];

/** The record as the fields show it: "" is what the record has as null. */
export interface Draft {
  name: string;
  site: string;
  document_type: NonNullable<Company['document_type']> | '';
  document_number: string;
  country: string;
  language: Config['language'];
  time_zone: string;
  second_factor_required: boolean;
}
export type Changes = Partial<Draft>;

const toDraft = ({ general_config, ...company }: Company): Draft => ({
  name: company.name,
  site: company.site ?? '',
  document_type: company.document_type ?? '',
  document_number: company.document_number ?? '',
  country: general_config.country ?? '',
  language: general_config.language,
  time_zone: general_config.time_zone,
  second_factor_required: company.second_factor_required,
});

export const useCompanyDraft = (company: Company): KeptForm<Draft> =>
  useKeptForm(`company.${company._id}`, company, toDraft);

export type Saving = Pick<KeptForm<Draft>, 'form' | 'changes'>;

/**
 * The request that saves the changes, and nothing else. A document's number means something only with its type, so both are sent as the
 * screen shows them when one has changed.
 */
export function toUpdate({ form: draft, changes }: Saving): CompanyUpdate {
  const { name, site, document_type, document_number, second_factor_required, ...changed } = changes;
  const { country, ...others } = changed;
  const config = { ...others, ...(country !== undefined && { country: country || null }) };
  return {
    ...(name !== undefined && { name }),
    ...(site !== undefined && { site: site.trim() || null }),
    ...((document_type !== undefined || document_number !== undefined) && {
      document_type: draft.document_type || null,
      document_number: draft.document_number.trim() || null,
    }),
    ...(second_factor_required !== undefined && { second_factor_required }),
    ...(Object.keys(config).length > 0 && { general_config: config }),
  };
}
