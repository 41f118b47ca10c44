/** What the kinds of records are called that a key may be allowed to use. */
import type { ApiKeyCreate } from '@parley/sdk';
import { defineTexts } from './texts.ts';

type ResourceOf<Scope> = Scope extends `${infer Name}:*` ? Name : never;
export type Resource = ResourceOf<ApiKeyCreate['scopes'][number]>;

const en: Record<Resource, string> = {
  conversations: 'Conversations',
  messages: 'Messages',
  notes: 'Notes',
  contacts: 'Contacts',
  businesses: 'Businesses',
  attachments: 'Attachments',
  campaigns: 'Campaigns',
  'campaign-enrollments': 'Campaign recipients',
  agents: 'Agents',
  knowledge: 'Knowledge',
  tables: 'Tables',
  'custom-fields': 'Custom fields',
  pipelines: 'Pipelines',
  inboxes: 'Inboxes',
  webhooks: 'Webhook',
  users: 'Users',
  'api-keys': 'API keys',
  companies: 'Company',
  audit: 'Audit',
};

export const RESOURCE_NAMES = defineTexts(en, {
  'pt-BR': {
    conversations: 'Conversas',
    messages: 'Mensagens',
    notes: 'Notas',
    contacts: 'Contatos',
    businesses: 'Empresas',
    attachments: 'Anexos',
    campaigns: 'Campanhas',
    'campaign-enrollments': 'Destinatários de campanhas',
    agents: 'Agentes',
    knowledge: 'Conhecimento',
    tables: 'Tabelas',
    'custom-fields': 'Campos personalizados',
    pipelines: 'Funis',
    inboxes: 'Caixas de entrada',
    webhooks: 'Webhook',
    users: 'Usuários',
    'api-keys': 'Chaves de API',
    companies: 'A própria empresa',
    audit: 'Auditoria',
  },
  es: {
    conversations: 'Conversaciones',
    messages: 'Mensajes',
    notes: 'Notas',
    contacts: 'Contactos',
    businesses: 'Empresas',
    attachments: 'Adjuntos',
    campaigns: 'Campañas',
    'campaign-enrollments': 'Destinatarios de campañas',
    agents: 'Agentes',
    knowledge: 'Conocimiento',
    tables: 'Tablas',
    'custom-fields': 'Campos personalizados',
    pipelines: 'Embudos',
    inboxes: 'Bandejas de entrada',
    webhooks: 'Webhook',
    users: 'Usuarios',
    'api-keys': 'Claves de API',
    companies: 'La propia empresa',
    audit: 'Auditoría',
  },
});
