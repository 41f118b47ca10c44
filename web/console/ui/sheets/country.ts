/** The country of the phone numbers of a sheet. */
import { useState } from 'react';
import { useCompany } from '../../records/company.ts';

export interface SheetCountry {
  /** What stands in the field: at first the company's country. */
  written: string;
  write(text: string): void;
  /** The country as the API takes it; undefined stands for the company's. */
  code: string | undefined;
}

export function useSheetCountry(): SheetCountry {
  const company = useCompany();
  const [chosen, write] = useState<string | null>(null);
  const written = chosen ?? company?.general_config.country ?? '';
  return { written, write, code: written.trim().toUpperCase() || undefined };
}
