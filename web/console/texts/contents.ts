/** What a message is when it has no text. */
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
    },
  },
);

/** What stands before a message in a list, where its writer is not shown otherwise. */
export const AUTHOR_NAMES = defineTexts(
  { you: 'You', agent: 'Agent', note: 'Note' },
  { 'pt-BR': { you: 'Você', agent: 'Agente', note: 'Nota' }, es: { you: 'Usted', agent: 'Agente', note: 'Nota' } },
);
