/** @jsxImportSource preact */
import { render } from 'preact';
import { startChat } from './chat/start.ts';
import { App } from './view/app.tsx';

const place = document.getElementById('app');
if (place) render(<App />, place);
startChat();
