import { defineTexts } from '../texts/texts.ts';

export const LOG_IN = defineTexts(
  {
    title: 'Log in',
    email: 'E-mail',
    password: 'Password',
    logIn: 'Log in',
    lost: 'Forgot your password?',
    toLogIn: 'Back to the log-in',
    lostTitle: 'Set a new password',
    lostLead: 'We will send you a link to set a new password.',
    sendLink: 'Send the link',
    linkIsUsed:
      'This link no longer works: it logs in once, within ten minutes. Parley prints a new one when it starts.',
    sent: (email: string) => `If ${email} has an account here, a mail with a link is on its way.`,
  },
  {
    'pt-BR': {
      title: 'Entrar',
      email: 'E-mail',
      password: 'Senha',
      logIn: 'Entrar',
      lost: 'Esqueceu a senha?',
      toLogIn: 'Voltar para a entrada',
      lostTitle: 'Definir uma nova senha',
      lostLead: 'Enviamos um link que define uma nova senha.',
      sendLink: 'Enviar o link',
      linkIsUsed:
        'Este link não funciona mais: ele permite entrar uma vez, em dez minutos. O próximo início do Parley mostra um novo.',
      sent: (email) => `Se ${email} tem uma conta aqui, um e-mail com um link está a caminho.`,
    },
    es: {
      title: 'Entrar',
      email: 'Correo electrónico',
      password: 'Contraseña',
      logIn: 'Entrar',
      lost: '¿Olvidó su contraseña?',
      toLogIn: 'Volver a la entrada',
      lostTitle: 'Definir una contraseña nueva',
      lostLead: 'Le enviamos un enlace que define una contraseña nueva.',
      sendLink: 'Enviar el enlace',
      linkIsUsed:
        'Este enlace ya no funciona: permite entrar una vez, en diez minutos. El próximo inicio de Parley muestra uno nuevo.',
      sent: (email) => `Si ${email} tiene una cuenta aquí, un correo con un enlace está en camino.`,
    },
  },
);
