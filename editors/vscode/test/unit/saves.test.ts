import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { mock } from 'node:test';
import type * as vscode from 'vscode';
import { Documents } from '../../src/documents';
import { hashOf } from '../../src/onDisk';
import { Saves } from '../../src/saves';
import * as fake from './vscode';

const { Manual, AfterDelay } = fake.TextDocumentSaveReason;

suite('saves for acp-ls', () => {
  let folder: string;
  let saves: Saves;
  let documents: Documents;
  let failed: number;
  setup(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-saves-'));
    saves = new Saves();
    const memory = { get: () => undefined, update: async () => undefined, keys: () => [] };
    documents = new Documents({ warn() {} } as never, saves, memory as never);
    failed = 0;
    saves.onDidFail(() => failed++);
    fake.said.length = 0;
    fake.acts.command = async () => undefined;
    fake.settings.clear();
    fake.workspace.textDocuments.length = 0;
    front(undefined);
  });
  teardown(() => {
    saves.dispose();
    documents.dispose();
    fs.rmSync(folder, { recursive: true, force: true });
  });

  const made = (text: string, now = text): fake.FakeDocument => {
    const document = new fake.FakeDocument(path.join(folder, 'a'), text);
    if (now !== text) {
      document.change(now);
    }
    return document;
  };
  const disk = (): string => fs.readFileSync(path.join(folder, 'a'), 'utf8');
  const front = (document: fake.FakeDocument | undefined): void => {
    fake.window.tabGroups.activeTabGroup.activeTab = document && {
      input: new fake.TabInputText(document.uri),
    };
  };
  const save = (document: fake.FakeDocument, format: boolean): Promise<boolean> =>
    saves.save(document as unknown as vscode.TextDocument, format);
  /** As soon as what is under way has been answered. */
  const after = (act: () => void): void => void setImmediate(act);

  test('a formatter is blamed where VS Code refuses for nothing it tells, and not where the file is newer', async () => {
    for (const newer of [false, true]) {
      fake.said.length = 0;
      const document = made('one\n', 'two\n');
      document.save = async () => {
        fake.tell.willSave.fire({ document, reason: Manual });
        return false;
      };
      if (newer) {
        fs.writeFileSync(document.uri.fsPath, 'one\nagent\n');
      }
      assert.equal(await save(document, true), false);
      assert.deepEqual(
        fake.said.map((text) => /formatter/.test(text)),
        newer ? [] : [true],
      );
      const of = document as unknown as vscode.TextDocument;
      assert.match(saves.whyFailed(of), newer ? /file has changed on disk/ : /formatter/);
      saves.knows(of); // its text has what came to the file
      assert.match(saves.whyFailed(of), /formatter/);
      fake.tell.closed.fire(document);
    }
  });

  for (const format of [true, false]) {
    for (const inFront of [true, false]) {
      const how = `${format ? '' : 'as it is, '}${inFront ? 'in front' : 'behind'}`;
      test(`one that is refused because VS Code saves by itself is done by that: ${how}`, async () => {
        const document = made('one\n', 'two\n');
        front(inFront ? document : undefined);
        let refused = 0;
        const refuse = async (): Promise<boolean> => {
          if (refused++ === 0) {
            after(() => {
              fake.tell.willSave.fire({ document, reason: AfterDelay });
              document.write();
            });
          }
          return false;
        };
        document.save = refuse;
        fake.acts.command = refuse;
        assert.equal(await save(document, format), true);
        assert.deepEqual([disk(), refused, failed, fake.said], ['two\n', 1, 0, []]);
      });

      test(`one that is refused, and not done by that, is made again: ${how}`, async () => {
        const document = made('one\n', 'two\n');
        front(inFront ? document : undefined);
        let refused = 0;
        const refuse = async (): Promise<boolean> => {
          if (refused++ > 0) {
            return document.write();
          }
          after(() => fake.tell.saved.fire(document)); // of what it had before
          return false;
        };
        document.save = refuse;
        fake.acts.command = refuse;
        assert.equal(await save(document, format), true);
        assert.deepEqual([disk(), refused, failed, fake.said], ['two\n', 2, 0, []]);
      });
    }
  }

  const has = (document: fake.FakeDocument): string =>
    saves.written(document as unknown as vscode.TextDocument);
  const willSave = (document: fake.FakeDocument): void =>
    fake.tell.willSave.fire({ document, reason: Manual });
  /** Has VS Code say that a document is saved that has gone on since its file was given a text. */
  const written = (document: fake.FakeDocument, text: string): void => {
    fs.writeFileSync(document.uri.fsPath, text);
    document.isDirty = false;
    fake.tell.saved.fire(document);
  };
  const slow: [how: string, begin: (document: fake.FakeDocument) => Promise<unknown>][] = [
    ['in no time', async (document) => willSave(document)],
    [
      'later than it is waited for',
      async (document) => {
        willSave(document);
        mock.timers.tick(60_000);
        const { uri } = document;
        await saves.ended([uri.toString()]); // the edits of acp-ls
      },
    ],
    [
      'later than a save for acp-ls waits',
      async (document) => {
        willSave(document);
        document.save = async () => {
          setImmediate(() => mock.timers.tick(60_000));
          return false; // what runs on save does
        };
        assert.equal(await save(document, true), false);
      },
    ],
    [
      'later than it is waited for, after the user has saved again',
      async (document) => {
        willSave(document);
        mock.timers.tick(60_000);
        document.change('two and\n');
        willSave(document);
        mock.timers.tick(60_000);
      },
    ],
  ];
  for (const [how, begin] of slow) {
    test(`what a document had when it was saved is known as such, told ${how}`, async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        const document = made('one\n', 'two\n');
        await begin(document);
        document.change('two and more\n');
        document.change('one\n'); // undone
        written(document, 'two and more\n');
        assert.equal(has(document), 'earlier');
        document.change('three\n');
        written(document, 'two and more\n');
        assert.equal(has(document), 'other', 'nothing is known of that save');
      } finally {
        mock.timers.reset();
      }
    });
  }

  test('one that the user has typed in meanwhile is theirs, and has not failed', async () => {
    const document = made('one\n', 'two\n');
    let asked = 0;
    document.save = async () => {
      asked++;
      after(() => {
        document.change('my two\n', { reason: 1 });
        fake.tell.saved.fire(document);
      });
      return false;
    };
    assert.equal(await save(document, true), false);
    assert.deepEqual([asked, failed, fake.said], [1, 0, []]);
  });

  test('one that what runs on save has ended is told of, once', async () => {
    const document = made('one\n', 'two\n');
    document.save = async () => {
      fake.tell.willSave.fire({ document, reason: Manual });
      return false;
    };
    assert.equal(await save(document, true), false);
    assert.equal(await save(document, true), false);
    assert.equal(failed, 1);
    assert.match(fake.said.join(), /^[^,]* is not saved: what runs on save/);
  });

  test('a text that was formatted all the same is given back to its file, and read from there', async () => {
    const document = made('one\n', 'two\n');
    document.save = async () => {
      document.change('formatted\n');
      return document.write();
    };
    const { keeps } = documents;
    documents.keeps = (...args) => {
      keeps.apply(documents, args);
      document.change(disk(), { reads: true }); // VS Code sees that the file has changed
    };
    assert.equal(await save(document, false), true);
    assert.deepEqual(
      [document.getText(), disk(), document.isDirty, fake.said],
      ['two\n', 'two\n', false, []],
    );
  });

  test('what VS Code has read is no conflict where it is saved, by whatever command', async () => {
    const document = made('one\n');
    const mtime = (): number => fs.statSync(path.join(folder, 'a')).mtimeMs;
    for (const [text, how] of [
      ['two\n', 'unformatted'],
      ['three\n', 'save'],
    ] as const) {
      fs.writeFileSync(document.uri.fsPath, text); // an agent, once more after VS Code has looked
      document.change(text, { reads: true });
      await new Promise((resolve) => setImmediate(resolve));
      const base = (): boolean => documents.isBased(document as unknown as vscode.TextDocument);
      while (!base()) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      document.change('one\n');
      front(document);
      let known = Number.NaN;
      const writes = async (): Promise<boolean> => {
        known = mtime();
        return document.write();
      };
      fake.acts.command = writes;
      document.save = async () => {
        await documents.letSave(document as unknown as vscode.TextDocument); // as before any save
        return writes();
      };
      assert.equal(await save(document, how === 'save'), true);
      assert.equal(known, 1000, `${how}: the file is no newer than anything that VS Code knows`);
    }
  });

  for (const told of [true, false]) {
    const before = told ? '' : ', as it did before that,';
    test(`a document that VS Code has written, and says nothing of yet${before} is not saved once more, and its file not made old`, async () => {
      const document = made('one\n', 'two\n');
      front(document);
      const uri = document.uri.toString();
      let again = 0;
      fake.acts.command = async () => again++;
      let end: (saved: boolean) => void = () => undefined;
      const underWay = new Promise<boolean>((resolve) => {
        end = resolve;
      });
      document.save = () => underWay; // which VS Code knows
      fake.workspace.textDocuments.push(document);
      if (told) {
        fake.tell.willSave.fire({ document, reason: Manual });
      }
      fs.writeFileSync(document.uri.fsPath, 'two\n');
      const mtime = (): number => fs.statSync(document.uri.fsPath).mtimeMs;
      const known = mtime(); // as VS Code finds it when it looks
      const { version } = document;
      assert.deepEqual(documents.base({ uri, version, disk: hashOf(Buffer.from('two\n')) }), {
        based: true,
      });
      const rest = async (): Promise<void> => {
        for (let i = 0; i < 50; i++) {
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await rest();
      assert.deepEqual([again, mtime()], [0, known]);
      end(document.write());
      await rest();
      assert.deepEqual([again, document.isDirty], [0, false]);
    });
  }

  test('a document that has what its file has, and that VS Code does not save, is saved', async () => {
    const document = made('one\n', 'two\n');
    front(document);
    fs.writeFileSync(document.uri.fsPath, 'two\n');
    fake.workspace.textDocuments.push(document);
    const done = new Promise((resolve) => {
      document.save = async () => resolve(document.write()) as never;
    });
    const { uri, version } = document;
    documents.base({ uri: uri.toString(), version, disk: hashOf(Buffer.from('two\n')) });
    assert.ok(await done);
  });

  for (const how of ['after a while', 'with the window'] as const) {
    test(`a file that was made old and not written has its time again ${how}, and is no newer`, async () => {
      mock.timers.enable({ apis: ['setTimeout'] });
      try {
        const document = made('one\n', 'two\n');
        const one = document as unknown as vscode.TextDocument;
        const mtime = (): number => fs.statSync(document.uri.fsPath).mtime.getTime();
        const was = mtime();
        documents.keeps(one, new TextEncoder().encode('one\n'));
        await documents.letSave(one);
        assert.equal(mtime(), 1000);
        const { setBase } = documents as unknown as { setBase(uri: vscode.Uri): void };
        setBase.call(documents, one.uri); // as VS Code has looked at the file
        if (how === 'after a while') {
          mock.timers.tick(60_000);
          assert.ok(documents.isBased(one));
        } else {
          documents.dispose();
        }
        assert.equal(mtime(), was);
      } finally {
        mock.timers.reset();
      }
    });
  }

  test('that is not forgotten with a save before what has come to the file', async () => {
    const document = made('one\n', 'two\n');
    fs.writeFileSync(document.uri.fsPath, 'three\n');
    documents.keeps(
      document as unknown as vscode.TextDocument,
      new TextEncoder().encode('three\n'),
    );
    fake.tell.saved.fire(document); // that was written before, and is told of now
    assert.ok(documents.isBased(document as unknown as vscode.TextDocument));
    document.write();
    assert.ok(!documents.isBased(document as unknown as vscode.TextDocument));
  });

  /** A document whose auto save VS Code has refused, and into which what the disk has was merged. */
  const refused = (): fake.FakeDocument => {
    fake.settings.set('files.autoSave', 'afterDelay').set('files.autoSaveDelay', 1);
    fake.settings.set('editor.formatOnSave', true);
    const document = made('one\n', 'my one\n');
    fake.workspace.textDocuments.push(document);
    front(document);
    fake.tell.willSave.fire({ document, reason: AfterDelay });
    fs.writeFileSync(document.uri.fsPath, 'one\ntwo\n');
    document.change('my one\ntwo\n');
    return document;
  };
  const merged = ({ uri, version }: fake.FakeDocument): void => {
    const disk = hashOf(fs.readFileSync(uri.fsPath));
    assert.deepEqual(documents.base({ uri: uri.toString(), version, disk }), { based: true });
  };
  /** Has every save be done by `write`, until that says that it was the last. */
  const saved = (write: (times: number) => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      let times = 0;
      fake.acts.command = async () => {
        try {
          if (write(++times)) {
            resolve();
          }
        } catch (err) {
          reject(err);
        }
      };
    });

  for (const told of [true, false]) {
    const how = told ? '' : ', and VS Code takes it for saved';
    test(`one typed in while a refused save is made after all is saved again${how}`, async () => {
      const document = refused();
      const all = saved((times) => {
        if (times > 1) {
          return document.write();
        }
        const typed = `${document.getText()}three\n`;
        fs.writeFileSync(document.uri.fsPath, document.getText());
        document.change(typed);
        document.isDirty = false;
        fake.tell.saved.fire(document); // with what it had before
        if (told) {
          document.change(`${typed}four\n`);
        } else {
          const input = new fake.TabInputText(document.uri);
          fake.window.tabGroups.all.push({ tabs: [{ input, isDirty: true }] } as never);
        }
        return false;
      });
      try {
        merged(document);
        await all;
      } finally {
        fake.window.tabGroups.all.length = 0;
      }
      assert.equal(disk(), `my one\ntwo\nthree\n${told ? 'four\n' : ''}`);
    });
  }

  test('one that VS Code refuses ever again is given up until something changes', async () => {
    const { resting } = documents as unknown as { resting: Map<string, unknown> };
    const document = refused();
    const last = saved((times) => times === 3);
    merged(document);
    await last;
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(resting.size, 0);
    document.change('my one\ntwo\nthree\n');
    assert.equal(resting.size, 1);
  });

  test('one that VS Code refuses once more is saved again', async () => {
    const document = refused();
    const all = saved((times) => times > 2 && document.write());
    merged(document);
    await all;
    assert.equal(disk(), 'my one\ntwo\n');
  });

  test('one that something else has been written to is not', async () => {
    const document = refused();
    const tried = saved(() => true);
    merged(document);
    await tried;
    fs.writeFileSync(document.uri.fsPath, 'somebody else wrote this\n');
    const again = saved(() => true).then(() => 'saved');
    const known = documents as unknown as { saveIfKnown(of: vscode.TextDocument): Promise<void> };
    const looked = new Promise<string>((resolve) => {
      const { saveIfKnown } = known;
      known.saveIfKnown = async (of) => {
        await saveIfKnown.call(documents, of);
        resolve('left');
      };
    });
    assert.equal(await Promise.race([again, looked]), 'left');
    assert.equal(disk(), 'somebody else wrote this\n');
  });
});
