/** The words of a transcript in the languages of the console. */
import type { ContentType } from '../../../channels/content.ts';
import type { TRANSCRIPT_LANGUAGES } from './schemas.ts';

export interface TranscriptWords {
  language: string;
  title(name: string): string;
  begun(time: string, zone: string): string;
  contact: string;
  team: string;
  assistant: string;
  note(name: string): string;
  revoked: string;
  failed: string;
  kinds: Record<Exclude<ContentType, 'TEXT' | 'TEMPLATE'>, string>;
}

export const TRANSCRIPT_WORDS: Record<(typeof TRANSCRIPT_LANGUAGES)[number], TranscriptWords> = {
  en: {
    language: 'en',
    title: (name) => `Conversation with ${name}`,
    begun: (time, zone) => `Started ${time} (times in ${zone})`,
    contact: 'Contact',
    team: 'Team',
    assistant: 'Assistant',
    note: (name) => `Internal note by ${name}`,
    revoked: 'Deleted message',
    failed: 'not delivered',
    kinds: {
      IMAGE: 'Image',
      AUDIO: 'Audio',
      VIDEO: 'Video',
      DOCUMENT: 'Document',
      STICKER: 'Sticker',
      INTERACTIVE: 'Choice',
      LOCATION: 'Location',
      CONTACTS: 'Contact card',
      REACTION: 'Reaction',
      UNSUPPORTED: 'Unsupported message',
    },
  },
  'pt-BR': {
    language: 'pt-BR',
    title: (name) => `Conversa com ${name}`,
    begun: (time, zone) => `Início em ${time} (horários de ${zone})`,
    contact: 'Contato',
    team: 'Equipe',
    assistant: 'Assistente',
    note: (name) => `Nota interna de ${name}`,
    revoked: 'Mensagem apagada',
    failed: 'não entregue',
    kinds: {
      IMAGE: 'Imagem',
      AUDIO: 'Áudio',
      VIDEO: 'Vídeo',
      DOCUMENT: 'Documento',
      STICKER: 'Figurinha',
      INTERACTIVE: 'Escolha',
      LOCATION: 'Localização',
      CONTACTS: 'Cartão de contato',
      REACTION: 'Reação',
      UNSUPPORTED: 'Mensagem não suportada',
    },
  },
  es: {
    language: 'es',
    title: (name) => `Conversación con ${name}`,
    begun: (time, zone) => `Inicio: ${time} (horas de ${zone})`,
    contact: 'Contacto',
    team: 'Equipo',
    assistant: 'Asistente',
    note: (name) => `Nota interna de ${name}`,
    revoked: 'Mensaje eliminado',
    failed: 'no entregado',
    kinds: {
      IMAGE: 'Imagen',
      AUDIO: 'Audio',
      VIDEO: 'Video',
      DOCUMENT: 'Documento',
      STICKER: 'Sticker',
      INTERACTIVE: 'Elección',
      LOCATION: 'Ubicación',
      CONTACTS: 'Tarjeta de contacto',
      REACTION: 'Reacción',
      UNSUPPORTED: 'Mensaje no compatible',
    },
  },
};
