import { defineTexts } from '../../texts/texts.ts';

export const PROFILE = defineTexts(
  {
    since: (date: string) => `here since ${date}`,
    notices: 'Notices',
    desktop: 'Show new messages on the desktop',
    desktopHint: 'While you look at something else.',
    notOffered: 'This browser does not offer it here; it needs a page over https.',
    notAllowed: 'The browser does not allow notices. You can change that in its settings for this page.',
    sound: 'Play a sound for new messages',
    password: 'Password',
    passwordLead: 'We send you a mail with a link that sets a new password. All sessions end then.',
    sendLink: 'Send the link',
    linkSent: (email: string) => `The link is on its way to ${email}`,
  },
  {
    'pt-BR': {
      since: (date) => `aqui desde ${date}`,
      notices: 'Avisos',
      desktop: 'Mostrar mensagens novas na área de trabalho',
      desktopHint: 'Enquanto você olha para outra coisa.',
      notOffered: 'Este navegador não oferece isso aqui; é preciso uma página por https.',
      notAllowed: 'O navegador não permite avisos. Você pode mudar isso nas configurações desta página.',
      sound: 'Tocar um som quando chegarem mensagens',
      password: 'Senha',
      passwordLead: 'Enviamos um e-mail com um link que define uma nova senha. Então todas as sessões terminam.',
      sendLink: 'Enviar o link',
      linkSent: (email) => `O link está a caminho de ${email}`,
    },
    es: {
      since: (date) => `aquí desde ${date}`,
      notices: 'Avisos',
      desktop: 'Mostrar mensajes nuevos en el escritorio',
      desktopHint: 'Mientras mira otra cosa.',
      notOffered: 'Este navegador no lo ofrece aquí; hace falta una página por https.',
      notAllowed: 'El navegador no permite avisos. Puede cambiarlo en los ajustes de esta página.',
      sound: 'Reproducir un sonido cuando lleguen mensajes',
      password: 'Contraseña',
      passwordLead:
        'Le enviamos un correo con un enlace que define una contraseña nueva. Entonces terminan todas las sesiones.',
      sendLink: 'Enviar el enlace',
      linkSent: (email) => `El enlace está en camino a ${email}`,
    },
  },
);
