/** The page of a site with the web chat. Programs that are not tests use it, too. */
import type { FrameLocator, Locator, Page } from 'playwright-core';

export interface ShopPage {
  page: Page;
  launcher: Locator;
  /** The chat inside of its frame. */
  chat: FrameLocator;
  /** Opens the chat and waits for its field. */
  openChat(): Promise<void>;
  write(text: string): Promise<void>;
  /** Waits until the chat shows this text as a message. */
  waitFor(text: string): Promise<void>;
  /** The texts of the messages that the chat shows. */
  texts(): Promise<string[]>;
}

/** The parts of a page that shows the site. */
export function followShop(page: Page): ShopPage {
  const launcher = page.locator('parley-chat button');
  const chat = page.frameLocator('parley-chat iframe');
  return {
    page,
    launcher,
    chat,
    openChat: async () => {
      await launcher.click();
      await chat.getByRole('textbox').first().waitFor();
    },
    write: async (text) => {
      await chat.locator('textarea').fill(text);
      await chat.locator('textarea').press('Enter');
    },
    waitFor: (text) => chat.locator('.message .text', { hasText: text }).first().waitFor(),
    texts: () => chat.locator('.message .text').allTextContents(),
  };
}
