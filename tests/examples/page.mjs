// Uses the page of examples/page in Chromium as its README says, and prints what is seen. The URL is the first argument.

import { inBrowser } from '../../packages/holm/test/hosts/chromium.mjs';

const PATIENCE_MS = 240_000;

await inBrowser(process.argv[2], async (page) => {
  page.setDefaultTimeout(PATIENCE_MS);
  const ask = async (text, button) => {
    await page.fill('input[name=text]', text);
    await page.click('#ask button');
    await page.waitForSelector('#question:not([hidden])');
    console.log(await page.textContent('#question span'));
    await page.click(`#question button[value=${button}]`);
    await page.waitForFunction(() => !['', '…'].includes(document.querySelector('#answer').textContent));
    console.log(`list: ${(await page.locator('#list li').allTextContents()).join(', ')}`);
    console.log(`answer: ${await page.textContent('#answer')}`);
  };
  await ask('Add an umbrella.', 'yes');
  await page.reload();
  await ask('Add a hat.', 'no');
});
