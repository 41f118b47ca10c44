/** What a message is when it has no text. */
import type { Message } from '@parley/sdk';
import { defineTexts } from './texts.ts';

export const CONTENT_NAMES = defineTexts(
  {
    TEXT: 'Text',
    IMAGE: 'Picture',
    AUDIO: 'Audio',
    VIDEO: 'Video',
    DOCUMENT: 'Document',
    STICKER: 'Sticker',
    TEMPLATE: 'Template',
    INTERACTIVE: 'Interactive message',
    LOCATION: 'Location',
    CONTACTS: 'Contact card',
    REACTION: 'Reaction',
    UNSUPPORTED: 'Message that cannot be shown',
    REVOKED: 'Deleted message',
  },
  {
    'pt-BR': {
      TEXT: 'Texto',
      IMAGE: 'Imagem',
      AUDIO: 'Áudio',
      VIDEO: 'Vídeo',
      DOCUMENT: 'Documento',
      STICKER: 'Figurinha',
      TEMPLATE: 'Modelo',
      INTERACTIVE: 'Mensagem interativa',
      LOCATION: 'Localização',
      CONTACTS: 'Cartão de contato',
      REACTION: 'Reação',
      UNSUPPORTED: 'Mensagem que não pode ser mostrada',
      REVOKED: 'Mensagem apagada',
    },
    es: {
      TEXT: 'Texto',
      IMAGE: 'Imagen',
      AUDIO: 'Audio',
      VIDEO: 'Vídeo',
      DOCUMENT: 'Documento',
      STICKER: 'Sticker',
      TEMPLATE: 'Plantilla',
      INTERACTIVE: 'Mensaje interactivo',
      LOCATION: 'Ubicación',
      CONTACTS: 'Tarjeta de contacto',
      REACTION: 'Reacción',
      UNSUPPORTED: 'Mensaje que no se puede mostrar',
      REVOKED: 'Mensaje eliminado',
    },
  },
);

/** What stands before a message in a list, where its writer is not shown otherwise. */
export const AUTHOR_NAMES = defineTexts(
  {
    you: 'You',
    team: 'Team',
    agent: 'Agent',
    automation: 'Automation',
    businessApp: 'Business app',
    away: 'Away text',
    survey: 'Satisfaction survey',
    campaign: 'Campaign',
    note: 'Note',
  },
  {
    'pt-BR': {
      you: 'Você',
      team: 'Equipe',
      agent: 'Agente',
      automation: 'Automação',
      businessApp: 'Aplicativo comercial',
      away: 'Texto de ausência',
      survey: 'Pesquisa de satisfação',
      campaign: 'Campanha',
      note: 'Nota',
    },
    es: {
      you: 'Usted',
      team: 'Equipo',
      agent: 'Agente',
      automation: 'Automatización',
      businessApp: 'Aplicación comercial',
      away: 'Texto de ausencia',
      survey: 'Encuesta de satisfacción',
      campaign: 'Campaña',
      note: 'Nota',
    },
  },
);

/** Which of the words above says who has sent what no person wrote. */
export function nameOrigin(
  origin: Message['origin'],
): 'agent' | 'businessApp' | 'campaign' | 'away' | 'survey' | 'automation' {
  switch (origin) {
    case 'AGENT':
    case 'FOLLOWUP':
      return 'agent';
    case 'BUSINESS_APP':
      return 'businessApp';
    case 'CAMPAIGN':
      return 'campaign';
    case 'AWAY':
      return 'away';
    case 'CSAT':
      return 'survey';
    default:
      return 'automation';
  }
}
