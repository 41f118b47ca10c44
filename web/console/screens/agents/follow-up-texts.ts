/** What an agent writes to contacts who do not answer. */
import { defineTexts } from '../../texts/texts.ts';

export const FOLLOW_UPS = defineTexts(
  {
    title: 'When a contact does not reply',
    hint: 'Sent one after another, in the contact’s daytime. A reply, a person who takes over or the end of the conversation cancels them.',
    add: 'Add a follow-up',
    rule: (number: string) => `Follow-up ${number}`,
    first: 'Wait after the agent’s message',
    later: 'Wait after the previous follow-up',
    content: 'Text',
    closed: 'After the reply window has closed, only a template can be sent.',
    template: (name: string) => `After the reply window has closed, the template ${name} is sent.`,
  },
  {
    'pt-BR': {
      title: 'Quando um contato não responde',
      hint: 'Estas mensagens seguem uma à outra, durante o dia do contato. Uma resposta, uma pessoa que assume ou o fim da conversa as cancela.',
      add: 'Adicionar um acompanhamento',
      rule: (number) => `Acompanhamento ${number}`,
      first: 'Espera depois da mensagem do agente',
      later: 'Espera depois do acompanhamento anterior',
      content: 'Texto',
      closed: 'Com a janela de resposta fechada, o texto não pode ser enviado. Um modelo pode.',
      template: (name) => `Com a janela de resposta fechada, é enviado o modelo ${name}.`,
    },
    es: {
      title: 'Cuando un contacto no responde',
      hint: 'Estos mensajes se siguen uno a otro, durante el día del contacto. Una respuesta, una persona que interviene o el fin de la conversación los cancela.',
      add: 'Añadir un seguimiento',
      rule: (number) => `Seguimiento ${number}`,
      first: 'Espera después del mensaje del agente',
      later: 'Espera después del seguimiento anterior',
      content: 'Texto',
      closed: 'Con la ventana de respuesta cerrada, el texto no se puede enviar. Una plantilla sí.',
      template: (name) => `Con la ventana de respuesta cerrada, se envía la plantilla ${name}.`,
    },
  },
);
