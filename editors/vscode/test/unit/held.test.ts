import * as assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { isHeld } from '../../src/edits';
import * as fake from './vscode';

/** VS Code does not say which documents are read-only: it saves none of these. */
suite('documents that are read-only', () => {
  let folder: string;
  setup(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'acp-held-'));
  });
  teardown(() => {
    fs.rmSync(folder, { recursive: true, force: true });
    fake.workspace.textDocuments.length = 0;
    fake.acts.command = async () => undefined;
  });

  interface Case {
    /** What happens before a key on its way is told. */
    onTheWay?(document: fake.FakeDocument): void;
    /** What VS Code says of saving the document, time by time. */
    saves: ((document: fake.FakeDocument) => boolean)[];
    before?(document: fake.FakeDocument): void;
    held?: true;
  }
  const refuses = (): boolean => false;
  const types = (document: fake.FakeDocument): void => document.change('onet\n');
  const cases: Record<string, Case> = {
    'is not saved': { saves: [refuses, refuses], held: true },
    'is saved': { saves: [() => true] },
    'is saved when it is tried again': { saves: [refuses, () => true] },
    'has unsaved text': { before: types, saves: [] },
    'is about to be typed in': { onTheWay: types, saves: [] },
    'is typed in while it is saved': {
      saves: [
        (document) => {
          types(document);
          return false;
        },
      ],
    },
    'is typed in, which is undone': {
      saves: [
        (document) => {
          types(document);
          document.change('one\n', { reason: 1, reads: true });
          return false;
        },
      ],
    },
    'is closed meanwhile': {
      saves: [
        (document) => {
          document.isClosed = true;
          return false;
        },
      ],
    },
  };
  for (const [name, { onTheWay, saves, before, held = false }] of Object.entries(cases)) {
    test(`one that ${name} is ${held ? '' : 'not '}read-only`, async () => {
      const document = new fake.FakeDocument(path.join(folder, 'a'), 'one\n');
      fake.workspace.textDocuments.push(document);
      before?.(document);
      let asked = 0;
      document.save = async () => {
        const save = saves[asked++];
        assert.ok(save, 'it is saved too often, or was not to be');
        return save(document);
      };
      fake.acts.command = async () => onTheWay?.(document);
      const { version } = document;
      const textDocument = { uri: document.uri.toString(), version };
      assert.equal(await isHeld({ documentChanges: [{ textDocument, edits: [] }] }), held);
      assert.equal(asked, saves.length);
    });
  }
});
