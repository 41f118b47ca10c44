/** The shop's own script: the button in the page opens the chat, if there is one. */
const RETRY_MS = 2_000;

/** In the first seconds after its start the platform still builds the chat. The script is asked for until it is there. */
function loadAgain(failed) {
  const script = document.createElement('script');
  script.src = failed.src;
  Object.assign(script.dataset, failed.dataset);
  failed.replaceWith(script);
}

const isChat = (element) => element instanceof HTMLScriptElement && 'inbox' in element.dataset;

addEventListener('error', ({ target }) => isChat(target) && setTimeout(loadAgain, RETRY_MS, target), true);

addEventListener('DOMContentLoaded', () => {
  const hasChat = document.querySelector('script[data-inbox]') !== null;
  document.getElementById('no-chat').hidden = hasChat;
  for (const button of document.querySelectorAll('[data-chat]')) {
    button.hidden = !hasChat;
    button.addEventListener('click', () => {
      // Calls that come before the chat has loaded wait in this list.
      window.parley = window.parley || [];
      window.parley.push(['open']);
    });
  }
});
