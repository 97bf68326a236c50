// node drive.js URL EXTENSION WORKSPACE: opens VS Code in a browser so that it runs
// EXTENSION's host.js in its extension host, and exits with what that returns.
const { chromium } = require('playwright-core');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [base, extension, workspace] = process.argv.slice(2);
const remote = (p) => `vscode-remote://${new URL(base).host}${p}`;

(async () => {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'record-browser-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM,
    headless: true,
    viewport: { width: 1400, height: 900 },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  const page = context.pages()[0];
  const end = async (code) => {
    await context.close();
    fs.rmSync(profile, { recursive: true, force: true });
    process.exit(code);
  };
  await page.exposeFunction('codeAutomationLog', (type, args) => {
    if (type === 'error') console.error(...args);
  });
  await page.exposeFunction('codeAutomationExit', end);
  const payload = [
    ['extensionDevelopmentPath', remote(extension)],
    ['extensionTestsPath', remote(path.join(extension, 'host.js'))],
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({ folder: workspace, payload: JSON.stringify(payload) });
  await page.goto(`${base}/?${query}`, { waitUntil: 'domcontentloaded' });
  // Whoever started this stops it if the host never ends.
})().catch((err) => {
  console.error(err);
  process.exit(1);
});
