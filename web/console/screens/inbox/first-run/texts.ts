import { defineTexts } from '../../../texts/texts.ts';

export const FIRST_RUN = defineTexts(
  {
    title: 'Set up your inbox',
    lead: 'A few steps, about ten minutes. You can leave and come back.',
    progress: 'Steps done',
    of: (done: number, all: number) => `${done} of ${all}`,
    done: 'done',
    dismiss: 'Hide these steps',
    noNumber: 'No number yet?',
    testPhone: 'Open the test phone and write to yourself',
  },
  {
    'pt-BR': {
      title: 'Prepare a sua caixa de entrada',
      lead: 'Poucos passos, uns dez minutos. Você pode sair e voltar.',
      progress: 'Passos feitos',
      of: (done, all) => `${done} de ${all}`,
      done: 'feito',
      dismiss: 'Ocultar estes passos',
      noNumber: 'Ainda sem número?',
      testPhone: 'Abra o telefone de teste e escreva para você',
    },
    es: {
      title: 'Prepare su bandeja de entrada',
      lead: 'Pocos pasos, unos diez minutos. Puede salir y volver.',
      progress: 'Pasos hechos',
      of: (done, all) => `${done} de ${all}`,
      done: 'hecho',
      dismiss: 'Ocultar estos pasos',
      noNumber: '¿Todavía sin número?',
      testPhone: 'Abra el teléfono de prueba y escríbase',
    },
  },
);

export const STEP_NAMES = defineTexts(
  {
    inbox: 'Connect a channel',
    team: 'Invite your team',
    message: 'Send or receive a first message',
    answers: 'Write a quick reply',
    program: 'Connect your own system',
  },
  {
    'pt-BR': {
      inbox: 'Conecte um canal',
      team: 'Convide a sua equipe',
      message: 'Envie ou receba a primeira mensagem',
      answers: 'Escreva uma resposta rápida',
      program: 'Conecte o seu próprio sistema',
    },
    es: {
      inbox: 'Conecte un canal',
      team: 'Invite a su equipo',
      message: 'Envíe o reciba el primer mensaje',
      answers: 'Escriba una respuesta rápida',
      program: 'Conecte su propio sistema',
    },
  },
);

export const STEP_ABOUT = defineTexts(
  {
    inbox: 'WhatsApp, web chat, e-mail or LinkedIn',
    team: 'Colleagues answer with you, each with a role',
    message: 'Write to a customer, or let one write to you',
    answers: 'Answer the most common question in two keystrokes',
    program: 'A webhook notifies it of every event, and an API key lets it send',
  },
  {
    'pt-BR': {
      inbox: 'WhatsApp, chat no site, e-mail ou LinkedIn',
      team: 'Colegas respondem com você, cada um com um papel',
      message: 'Escreva para um cliente, ou peça que ele escreva',
      answers: 'Responda à pergunta mais comum com duas teclas',
      program: 'Um webhook avisa de cada evento, e uma chave de API permite enviar',
    },
    es: {
      inbox: 'WhatsApp, chat web, correo o LinkedIn',
      team: 'Sus colegas responden con usted, cada uno con un papel',
      message: 'Escriba a un cliente, o pida que le escriba',
      answers: 'Responda la pregunta más común con dos teclas',
      program: 'Un webhook avisa de cada evento, y una clave de API permite enviar',
    },
  },
);

export const STEP_ACTIONS = defineTexts(
  { inbox: 'Connect', team: 'Invite', message: 'Write', answers: 'Add', program: 'Set up' },
  {
    'pt-BR': { inbox: 'Conectar', team: 'Convidar', message: 'Escrever', answers: 'Adicionar', program: 'Configurar' },
    es: { inbox: 'Conectar', team: 'Invitar', message: 'Escribir', answers: 'Añadir', program: 'Configurar' },
  },
);
