import { chromium } from '@playwright/test';
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
const paths = process.argv.slice(2);
for (const width of [390, 768, 1440]) {
  const page = await browser.newPage({ viewport: { width, height: width === 390 ? 844 : 900 } });
  for (const path of paths) {
    await page.goto('http://localhost:3900' + path); await page.waitForTimeout(2500);
    await page.screenshot({ path: `/tmp/shots/${path.replaceAll('/', '_') || 'root'}-${width}.png`, fullPage: path !== '/' });
  }
  await page.close();
}
await browser.close();
