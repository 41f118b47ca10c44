import { defineTexts } from './texts.ts';

/** The names of a contact's fields, for labels of forms and titles of columns. */
export const CONTACT_FIELDS = defineTexts(
  {
    name: 'Name',
    email: 'E-mail',
    phone_number: 'Phone number',
    country_code: 'Country',
    professional_network_identifier: 'Professional network',
    external_id: 'External ID',
    language: 'Language',
    tags: 'Tags',
    business: 'Business',
    owner: 'Owner',
    opted_out: 'Opted out',
    blocked: 'Blocked',
    source: 'Source',
    last_message_at: 'Last message',
    createdAt: 'Created',
  },
  {
    'pt-BR': {
      name: 'Nome',
      email: 'E-mail',
      phone_number: 'Telefone',
      country_code: 'País',
      professional_network_identifier: 'Rede profissional',
      external_id: 'Id em outro sistema',
      language: 'Idioma',
      tags: 'Etiquetas',
      business: 'Empresa',
      owner: 'Responsável',
      opted_out: 'Não quer mensagens',
      blocked: 'Bloqueado',
      source: 'Origem',
      last_message_at: 'Última mensagem',
      createdAt: 'Criado em',
    },
    es: {
      name: 'Nombre',
      email: 'Correo electrónico',
      phone_number: 'Teléfono',
      country_code: 'País',
      professional_network_identifier: 'Red profesional',
      external_id: 'Id en otro sistema',
      language: 'Idioma',
      tags: 'Etiquetas',
      business: 'Empresa',
      owner: 'Responsable',
      opted_out: 'No quiere mensajes',
      blocked: 'Bloqueado',
      source: 'Origen',
      last_message_at: 'Último mensaje',
      createdAt: 'Creado',
    },
  },
);

/** Where a contact came from. */
export const CONTACT_SOURCES = defineTexts(
  {
    API: 'API',
    INBOUND: 'A message of the contact',
    IMPORT: 'Import',
    CAMPAIGN: 'Campaign',
    DASHBOARD: 'Console',
    WIDGET: 'Web chat',
  },
  {
    'pt-BR': {
      API: 'API',
      INBOUND: 'Mensagem do contato',
      IMPORT: 'Importação',
      CAMPAIGN: 'Campanha',
      DASHBOARD: 'Console',
      WIDGET: 'Chat do site',
    },
    es: {
      API: 'API',
      INBOUND: 'Mensaje del contacto',
      IMPORT: 'Importación',
      CAMPAIGN: 'Campaña',
      DASHBOARD: 'Consola',
      WIDGET: 'Chat del sitio',
    },
  },
);
