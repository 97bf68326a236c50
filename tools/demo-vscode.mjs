// node tools/demo-vscode.mjs PACKAGE: opens the packaged extension in a real VS Code, on 127.0.0.1,
// in a scratch project with the demonstration agent. VS Code and its profile are the project's own
// (tools/get-vscode): nothing of the user's is touched, and nothing is left behind.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root, startVSCode } from '../editors/vscode/test/vscode.mjs';

const guide = `# An agent that sees what you have not saved

1. Open **greet.go** and put this at its end. **Do not save it.** The function is in no file yet: only you can see it.

   \`\`\`go
   func Farewell(name string) string {
   	return "Goodbye, " + name + "!"
   }
   \`\`\`

2. Open **ACP** in the activity bar, on the left. Write, and send with Enter:

   - \`what does @greet.go do\`
   - \`sort the imports and add doc comments in @greet.go\`

   and answer its question.

3. Back in greet.go: the new lines are green. **Accept** and **Reject** stand above each change and in the light bulb; a click on
   the bar beside the line numbers shows what was there before. \`Ctrl+Alt+N\` goes to the next one. Undo, type, save at any time.

4. Save greet.go: the agent sees what you have not saved, a command does not. Then in the chat: \`run the tests\`, or \`help\`.
`;

const [pkg] = process.argv.slice(2);
if (!pkg) {
  console.error('usage: node tools/demo-vscode.mjs PACKAGE');
  process.exit(2);
}
const home = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-ls-demo-'));
const clean = () => fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
try {
  const project = path.join(home, 'greet');
  fs.mkdirSync(project);
  const archive = fs.readFileSync(path.join(root, 'tools/demo/project.txtar'), 'utf8');
  for (const [, name, text] of archive.matchAll(/^-- (.+) --\n((?:(?!-- .+ --$).*\n)*)/gm)) {
    if (name !== 'guide' && !name.startsWith('unsaved/')) {
      fs.writeFileSync(path.join(project, name), text);
    }
  }
  fs.writeFileSync(path.join(project, 'GUIDE.md'), guide);
  const { base, stop } = await startVSCode({
    home,
    install: [path.resolve(pkg)],
    settings: {
      'workbench.editorAssociations': { 'GUIDE.md': 'vscode.markdown.preview.editor' },
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
    },
  });
  const payload = [
    ['openFile', `vscode-remote://${new URL(base).host}${path.join(project, 'GUIDE.md')}`],
    ['skipWelcome', 'true'],
  ];
  const query = new URLSearchParams({ folder: project, payload: JSON.stringify(payload) });
  const url = `${base}/?${query}`;
  console.log(`Open this in a browser; Ctrl-C here ends it:\n\n${url}\n`);
  if (process.stdout.isTTY && (process.env.DISPLAY || process.env.WAYLAND_DISPLAY)) {
    spawn('xdg-open', [url], { stdio: 'ignore', detached: true }).on('error', () => {}).unref();
  }
  await new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.once(signal, resolve);
    }
  });
  await stop();
} finally {
  clean();
}
