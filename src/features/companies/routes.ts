import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit.ts';
import { declareTag } from '../../platform/http/description.ts';
import { installationOperation } from '../../platform/http/route.ts';
import { ref } from '../../platform/values/schema.ts';
import { createCompanyForCaller, pageCompanies, readCompany, updateCompanyById } from './companies.ts';
import { Company, CompanyCreate, CompanyList, CompanyParams, CompanyQuery, CompanyUpdate } from './schemas.ts';

export function companyRoutes(app: FastifyInstance, kit: Kit): void {
  declareTag('companies', 'The tenants');
  installationOperation(app, kit.access, {
    method: 'POST',
    path: '/v1/companies',
    scope: 'companies:create',
    globalOnly: true,
    summary: 'Create a company and invite its first owner',
    description:
      'The owner gets a mail with a link for setting a password. To create keys of the company, call `POST /v1/api-keys` with its id in `x-company-id`.',
    body: ref(CompanyCreate),
    answers: { 201: ref(Company) },
    handler: (caller, { body }) => createCompanyForCaller(kit, caller, body),
    again: readCompany,
  });
  installationOperation(app, kit.access, {
    method: 'GET',
    path: '/v1/companies',
    scope: 'companies:read',
    globalOnly: true,
    summary: 'List companies',
    description: 'All companies of the installation, suspended ones included.',
    query: CompanyQuery,
    answers: { 200: CompanyList },
    handler: (caller, { query }) => pageCompanies(caller, query),
  });
  installationOperation(app, kit.access, {
    method: 'GET',
    path: '/v1/companies/:id',
    scope: 'companies:read',
    summary: 'Read a company: any with a global key, otherwise only your own',
    description:
      'Returns the settings of the company: its language, time zone and country, its limits, and the channels of its inboxes.',
    params: CompanyParams,
    answers: { 200: ref(Company) },
    handler: (caller, { params }) => readCompany(caller, params.id),
  });
  installationOperation(app, kit.access, {
    method: 'PATCH',
    path: '/v1/companies/:id',
    scope: 'companies:update',
    summary: 'Change a company: any with a global key, otherwise only your own',
    description:
      'status, subscription, payment_customer_id, the billing switches and limits can be changed only with a global key.',
    params: CompanyParams,
    body: ref(CompanyUpdate),
    answers: { 200: ref(Company) },
    handler: (caller, { params, body }) => updateCompanyById(kit, caller, params.id, body),
  });
}
