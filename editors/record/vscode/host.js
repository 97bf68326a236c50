// Runs inside the extension host: plays each scenario of run.json against the
// recorder's server for it, with the same language client that extensions use.
const fs = require('fs');
const net = require('net');
const path = require('path');
const vscode = require('vscode');
const { LanguageClient, State } = require('vscode-languageclient/node');
const scenarios = require('./scenarios.js');

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// A Player is what a scenario's script is given. Positions are 0-based.
class Player {
  constructor(client, dir) {
    this.vscode = vscode;
    this.client = client;
    this.dir = dir;
    this.disposables = [];
  }

  ask(method, params = {}) {
    return this.client.sendRequest(`record/${method}`, params);
  }

  uri(file) {
    return vscode.Uri.file(path.join(this.dir, file));
  }

  async open(file = 't.txt') {
    await this.ask('act', { act: `open ${file}` });
    this.document = await vscode.workspace.openTextDocument(this.uri(file));
    this.editor = await vscode.window.showTextDocument(this.document, { preview: false });
    await this.look();
  }

  // look waits until nothing more is sent, and has the document's text logged.
  async look() {
    await this.ask('settle');
    await this.ask('checkpoint', { uri: this.document.uri.toString(), text: this.document.getText() });
  }

  // at places cursors: [line, character] or [line, character, line, character] each.
  at(...cursors) {
    this.editor.selections = cursors.map(
      ([l, c, l2 = l, c2 = c]) => new vscode.Selection(l, c, l2, c2)
    );
  }

  // type is text typed at the speed of a good typist; "\n" is the enter key.
  async type(text) {
    await this.ask('act', { act: `type ${text}` });
    for (const key of text) {
      await this.key(key);
      await sleep(60);
    }
    await this.look();
  }

  key(key) {
    return vscode.commands.executeCommand('type', { text: key });
  }

  // run is a command of the editor's, as by its key.
  async run(command, ...args) {
    await this.ask('act', { act: [command, ...args.map((a) => JSON.stringify(a))].join(' ') });
    const result = await vscode.commands.executeCommand(command, ...args);
    await this.look();
    return result;
  }

  // edit is an edit by an extension: [line, character, line, character, text] each.
  async edit(...edits) {
    await this.ask('act', { act: 'edit by an extension' });
    const ok = await this.editor.edit((b) => {
      for (const [l, c, l2, c2, text] of edits) b.replace(new vscode.Range(l, c, l2, c2), text);
    });
    if (!ok) throw new Error('edit refused');
    await this.look();
  }

  async save() {
    await this.run('workbench.action.files.save');
  }

  // writes is another program that writes a file; waits until the document shows it.
  async writes(text, file = 't.txt') {
    await this.ask('write', { file, text });
    if (!this.document.isDirty) await this.shows(text);
    await this.look();
  }

  // program is another program that changes the folder.
  async program(shown, ...argv) {
    await this.ask('program', { argv });
    if (shown !== null) await this.shows(shown);
    await this.look();
  }

  async shows(text) {
    const deadline = Date.now() + 20000;
    while (this.document.getText() !== text) {
      if (Date.now() > deadline) throw new Error(`document never became ${JSON.stringify(text)}`);
      await sleep(20);
    }
  }

  // agent is an edit by the server, of the newest version it knows.
  async agent(...edits) {
    await this.apply({}, ...edits);
    await this.look();
  }

  // apply is agent without the look. version: a number, or null for none.
  apply({ version }, ...edits) {
    return this.ask('applyEdit', {
      version: version === undefined ? '' : JSON.stringify(version),
      edits: edits.map(([l, c, l2, c2, newText]) => ({
        range: { start: { line: l, character: c }, end: { line: l2, character: c2 } },
        newText,
      })),
    });
  }

  async setting(name, value) {
    const config = vscode.workspace.getConfiguration();
    await config.update(name, value, vscode.ConfigurationTarget.Global);
    this.disposables.push({
      dispose: () => config.update(name, undefined, vscode.ConfigurationTarget.Global),
    });
  }
}

async function play(scenario, { dir, socket }) {
  const client = new LanguageClient(
    'record',
    'record',
    () =>
      new Promise((done, failed) => {
        const stream = net.connect(socket, () => done({ reader: stream, writer: stream }));
        stream.on('error', failed);
      }),
    { documentSelector: [{ scheme: 'file', pattern: `${dir}/**` }] }
  );
  await client.start();
  const player = new Player(client, dir);
  try {
    await player.open();
    await scenario.script(player);
    await player.ask('finish');
  } finally {
    for (const d of player.disposables) await d.dispose();
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    if (client.state === State.Running) await client.stop();
  }
}

exports.run = async () => {
  const runs = JSON.parse(fs.readFileSync(path.join(__dirname, 'run.json'), 'utf8'));
  let failures = 0;
  for (const run of runs) {
    try {
      await play(
        scenarios.find((s) => s.name === run.name),
        run
      );
      console.log(`played ${run.name}`);
    } catch (err) {
      failures++;
      console.error(`${run.name}: ${err.stack}`);
    }
  }
  if (failures) throw new Error(`${failures} scenarios failed`);
};
