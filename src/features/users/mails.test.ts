/** The texts of mails about accounts: complete in each language, and safe whatever name a person has. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { invitationMail, resetMail } from './mails.ts';

const link = 'https://parley.example/set-password#token=Zm9v-_bar';
const LANGUAGES = [
  ['pt-BR', 'Olá, Ana Souza,', '72 horas', '1 hora', 'Ignore este e-mail'],
  ['en', 'Hello Ana Souza,', '72 hours', '1 hour', 'ignore this e-mail'],
  ['es', 'Hola, Ana Souza:', '72 horas', '1 hora', 'este correo'],
] as const;

for (const [language, greeting, days, hour, ignore] of LANGUAGES) {
  test(`a mail (${language}) has a greeting, the link, how long it works, and what to do when no one asked for it`, () => {
    const invitation = invitationMail({ name: 'Ana Souza', company: 'Padaria Real', language, link });
    const reset = resetMail({ name: 'Ana Souza', language, link });
    for (const [mail, life] of [
      [invitation, days],
      [reset, hour],
    ] as const) {
      for (const body of [mail.text, mail.html]) {
        for (const part of [greeting, link, life, ignore]) assert.ok(body.includes(part), `${part} in ${body}`);
        assert.doesNotMatch(body, /\{|undefined/);
      }
      assert.ok(mail.text.includes(`\n\n${link}\n\n`), 'alone on its line');
      assert.ok(mail.html.includes(`<html lang="${language}">`));
    }
    assert.match(invitation.subject, /Padaria Real/);
    assert.ok(invitation.text.includes('“Padaria Real”'));
  });
}

test('a mail in an unknown language is in English', () => {
  for (const language of ['de', '', 'PT', 'toString', '__proto__']) {
    assert.equal(resetMail({ name: 'Ana', language, link }).subject, 'Reset your Parley password', language);
  }
});

test('a mail loads nothing from the network, and the link is its only address', () => {
  const { html } = invitationMail({ name: 'Ana', company: 'Acme', language: 'en', link });
  assert.doesNotMatch(html, /<(img|script|link|iframe|form|object|svg|style)\b|url\(|@import|\ssrc=/i);
  assert.deepEqual(new Set(html.match(/https?:[^"<\s]+/g)), new Set([link]));
});

describe('a hostile name', () => {
  const mailTo = (name: string, company = 'Acme') => invitationMail({ name, company, language: 'en', link });

  test('a hostile name is text in the HTML, never a tag, an attribute or an entity', () => {
    for (const name of [
      '<script>alert(1)</script>',
      '"><img src=x onerror=alert(1)>',
      "' onmouseover='alert(1)",
      '</p></body>',
      '&lt;b&gt;',
      '<!--',
    ]) {
      const { html } = mailTo(name, name);
      const plain = mailTo('N', 'N').html;
      // The mail has as many tags as with a harmless name.
      for (const mark of [/</g, />/g, /"/g, /'/g]) {
        assert.equal(html.match(mark)?.length, plain.match(mark)?.length, `${mark} ${name}`);
      }
    }
    assert.ok(mailTo('&lt;b&gt;').html.includes('&amp;lt;b&amp;gt;'));
  });

  test('a hostile name adds no line to the subject or the text', () => {
    for (const end of ['\r\n', '\n', '\r', '\u0000', '\u0085', '\u2028', '\u2029', '\v']) {
      const { subject, text } = mailTo('Ana', `Acme${end}Bcc: all@evil.example${end}${end}Your account is locked`);
      assert.match(subject, /^[^\p{C}\u2028\u2029]+$/u, JSON.stringify(end));
      assert.ok(subject.includes('Acme Bcc: all@evil.example Your account is locked'));
      assert.equal(text.split('\n').length, mailTo('Ana').text.split('\n').length);
    }
  });

  test('a hostile name cannot reverse or hide text of the mail', () => {
    const { subject, text } = mailTo('Ana', '\u202eemca\u202c \u2066x\u2069 \u200fy \ufeffz \ud800');
    assert.doesNotMatch(subject + text.replaceAll('\n', ''), /\p{C}/u);
    assert.ok(mailTo('می\u200cخواهم').text.includes('می\u200cخواهم'), 'a joiner belongs to the spelling');
  });

  test('a hostile name is not an address that a mail program would turn into a link', () => {
    const { text, html } = mailTo('call evil.example or http://1.2.3.4/x', 'www.evil.example');
    for (const body of [text, html.replaceAll(/<title>.*<\/title>/g, '')]) {
      assert.doesNotMatch(body.replaceAll(link, ''), /\w\.\p{L}{2}|https?:\/\//u);
    }
    assert.ok(mailTo('J. R. Silva', 'Souza & Cia. Ltda. S.A.').text.includes('“Souza & Cia. Ltda. S.A.”'));
  });

  test('a hostile name is cut after 80 characters, so that it cannot be a letter of its own', () => {
    const { subject, text } = mailTo('😀'.repeat(500), 'x'.repeat(100_000));
    assert.ok(text.includes(`Hello ${'😀'.repeat(79)}…,`));
    assert.ok(subject.includes(`${'x'.repeat(79)}…`));
    assert.ok(text.length < 1_000);
  });

  test('a hostile name that looks like a placeholder is not replaced', () => {
    assert.ok(mailTo('{company}', '{name} $& $1').text.includes('Hello {company},'));
    assert.ok(mailTo('{company}', '{name} $& $1').text.includes('“{name} $& $1”'));
  });
});
