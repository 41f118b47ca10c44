/** What a conversation says about its follow-ups. */
import type { FollowUp } from '@parley/sdk';
import { defineTexts } from '../../../texts/texts.ts';

export const FOLLOW_UPS = defineTexts(
  {
    title: 'Follow-ups',
    next: (moment: string) => `Follows up on ${moment}`,
    leaving: 'It is being sent.',
    notTaken: 'The network rejected it. The message says why.',
    refused: 'The platform could not send it, for example because its template no longer exists.',
    cancel: 'Cancel the follow-up',
    reallyCancel: 'Yes, cancel it',
    cancelMeaning: 'It will not be sent, and no others will follow.',
  },
  {
    'pt-BR': {
      title: 'Acompanhamentos',
      next: (moment) => `Escreve de novo em ${moment}`,
      leaving: 'Está sendo enviado.',
      notTaken: 'A rede não o aceitou. A mensagem diz por quê.',
      refused: 'A plataforma não conseguiu enviá-lo, por exemplo porque o modelo já não existe.',
      cancel: 'Cancelar o acompanhamento',
      reallyCancel: 'Cancelar mesmo',
      cancelMeaning: 'Ele não será enviado, e nenhum outro o segue.',
    },
    es: {
      title: 'Seguimientos',
      next: (moment) => `Vuelve a escribir el ${moment}`,
      leaving: 'Se está enviando.',
      notTaken: 'La red no lo aceptó. El mensaje dice por qué.',
      refused: 'La plataforma no pudo enviarlo, por ejemplo porque su plantilla ya no existe.',
      cancel: 'Cancelar el seguimiento',
      reallyCancel: 'Cancelar de verdad',
      cancelMeaning: 'No se enviará, y ningún otro lo sigue.',
    },
  },
);

export const FOLLOW_UP_STATES = defineTexts<Record<FollowUp['status'], string>>(
  { SCHEDULED: 'Scheduled', SENT: 'Sent', CANCELLED: 'Cancelled', FAILED: 'Not sent' },
  {
    'pt-BR': { SCHEDULED: 'Agendado', SENT: 'Enviado', CANCELLED: 'Cancelado', FAILED: 'Não enviado' },
    es: { SCHEDULED: 'Programado', SENT: 'Enviado', CANCELLED: 'Cancelado', FAILED: 'No enviado' },
  },
);

export const CANCEL_REASONS = defineTexts<Record<NonNullable<FollowUp['cancel_reason']>, string>>(
  {
    REPLIED: 'The contact replied.',
    HANDED_OVER: 'A person or another agent has taken over.',
    AGENT_INACTIVE: 'The agent was switched off, or the company was suspended.',
    CONVERSATION_CLOSED: 'The conversation was closed.',
    WINDOW_EXPIRED: 'The reply window had closed, and it has no template.',
    CANCELLED_BY_REQUEST: 'It was cancelled manually.',
  },
  {
    'pt-BR': {
      REPLIED: 'O contato respondeu.',
      HANDED_OVER: 'Uma pessoa ou outro agente assumiu.',
      AGENT_INACTIVE: 'O agente foi desligado, ou a empresa foi suspensa.',
      CONVERSATION_CLOSED: 'A conversa foi encerrada.',
      WINDOW_EXPIRED: 'A janela de resposta tinha fechado, e não há modelo.',
      CANCELLED_BY_REQUEST: 'Alguém o cancelou.',
    },
    es: {
      REPLIED: 'El contacto respondió.',
      HANDED_OVER: 'Intervino una persona u otro agente.',
      AGENT_INACTIVE: 'El agente fue apagado, o la empresa fue suspendida.',
      CONVERSATION_CLOSED: 'La conversación se cerró.',
      WINDOW_EXPIRED: 'La ventana de respuesta se había cerrado, y no tiene plantilla.',
      CANCELLED_BY_REQUEST: 'Alguien lo canceló.',
    },
  },
);
