/** The company as the records show it that embed it. */
import type { TenantRead } from '../../platform/store/tenant.ts';
import { findOwningCompany } from './queries.ts';
import type { OwningCompany } from './schemas.ts';

export const readOwningCompany = (tx: TenantRead): Promise<OwningCompany> => findOwningCompany(tx);
