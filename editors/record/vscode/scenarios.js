// The scenarios for VS Code. Each opens t.txt, which holds "initial"; "p" is a Player
// of host.js. Names that Neovim's scenarios have too stand for the same story.
const letters = 'x1\na\nb\nc\nx2\nd\nx3\ne\nf\ng\n';
const code = `package main

import "fmt"

func main() {
	a := 1
	b := 2
	fmt.Println(a, b)
}

func add(x, y int) int {
	return x + y
}
`;
const text = 'naïve 😀 text\n日本語\n👩‍👩‍👧 e\u0301\n';

// formatter removes blanks at the ends of lines; whole: by an edit of the whole text.
function formatter(p, whole) {
  const { vscode } = p;
  p.disposables.push(
    vscode.languages.registerDocumentFormattingEditProvider(
      { scheme: 'file', pattern: `${p.dir}/**` },
      {
        provideDocumentFormattingEdits(document) {
          if (whole) {
            const end = document.lineAt(document.lineCount - 1).range.end;
            const formatted = document.getText().replace(/[ \t]+$/gm, '');
            return [vscode.TextEdit.replace(new vscode.Range(new vscode.Position(0, 0), end), formatted)];
          }
          const edits = [];
          for (let i = 0; i < document.lineCount; i++) {
            const line = document.lineAt(i);
            const kept = line.text.trimEnd().length;
            if (kept < line.text.length) {
              edits.push(vscode.TextEdit.delete(new vscode.Range(i, kept, i, line.text.length)));
            }
          }
          return edits;
        },
      }
    )
  );
  return p.setting('editor.formatOnSave', true);
}

module.exports = [
  // One user, typing and moving lines about.
  {
    name: 'type',
    initial: letters,
    async script(p) {
      p.at([1, 1]);
      await p.type('pple pie');
      await p.run('deleteLeft');
      await p.run('deleteWordLeft');
      await p.type('tart');
      p.at([4, 1]);
      await p.type('word ');
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
    },
  },
  {
    name: 'new-lines',
    initial: code,
    async script(p) {
      p.at([5, 2]);
      await p.run('editor.action.insertLineAfter');
      await p.type('c := 3');
      await p.run('editor.action.insertLineBefore');
      await p.type('// first\n// second');
      p.at([0, 0]);
      await p.type('// top\n');
      p.at([14, 12]);
      await p.type('\n\nif x {\ny()');
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'split-join',
    initial: letters,
    async script(p) {
      p.at([1, 1]);
      await p.type(' b c');
      p.at([1, 3]);
      await p.type('\n');
      await p.run('deleteLeft');
      p.at([3, 0]);
      await p.run('editor.action.joinLines');
      p.at([3, 0, 6, 1]);
      await p.run('editor.action.joinLines');
      await p.run('undo');
      await p.run('redo');
      p.at([2, 1]);
      await p.run('deleteRight');
    },
  },
  {
    name: 'undo-redo',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      p.at([3, 0, 3, 1]);
      await p.type('two');
      p.at([5, 0, 5, 1]);
      await p.type('three');
      await p.run('undo');
      await p.run('redo');
      await p.run('undo');
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
      await p.run('redo');
      p.at([8, 0]);
      await p.type('x');
      await p.run('redo');
      await p.run('undo');
    },
  },
  {
    name: 'multi-cursor',
    initial: letters,
    async script(p) {
      p.at([0, 2], [4, 2], [6, 2]);
      await p.type('; y');
      await p.type('\n');
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
      p.at([1, 0], [2, 0], [3, 0]);
      await p.type('// ');
      await p.run('deleteWordLeft');
      p.at([0, 0, 0, 1]);
      await p.run('editor.action.selectHighlights');
      await p.type('why');
      await p.run('undo');
      p.at([1, 0], [2, 0], [3, 0]);
      await p.run('editor.action.deleteLines');
      await p.run('undo');
    },
  },
  {
    name: 'substitute',
    initial: letters,
    async script(p) {
      await p.run('editor.actions.findWithArgs', { searchString: 'x', replaceString: 'why' });
      await p.run('editor.action.replaceAll');
      await p.vscode.commands.executeCommand('closeFindWidget');
      await p.vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
      await p.run('undo');
      await p.run('redo');
      await p.edit([0, 0, 0, 3, 'x'], [4, 0, 4, 3, 'x'], [6, 0, 6, 3, 'x']);
      await p.run('undo');
    },
  },
  {
    name: 'move-lines',
    initial: letters,
    async script(p) {
      p.at([1, 0]);
      await p.run('editor.action.moveLinesDownAction');
      await p.run('editor.action.moveLinesDownAction');
      await p.run('editor.action.moveLinesUpAction');
      await p.run('undo');
      await p.run('redo');
      p.at([4, 0, 6, 1]);
      await p.run('editor.action.moveLinesUpAction');
      await p.run('editor.action.copyLinesDownAction');
      await p.run('editor.action.copyLinesUpAction');
      await p.run('undo');
      p.at([9, 0]);
      await p.run('editor.action.moveLinesDownAction');
      await p.run('editor.action.moveLinesDownAction');
    },
  },
  {
    name: 'delete-put',
    initial: letters,
    async script(p) {
      p.at([1, 0]);
      await p.run('editor.action.deleteLines');
      await p.run('undo');
      p.at([1, 0, 4, 0]);
      await p.run('deleteLeft');
      await p.run('undo');
      p.at([2, 0, 3, 0]);
      await p.run('cut');
      p.at([6, 0]);
      await p.run('paste', { text: 'b\n', pasteOnNewLine: false });
      p.at([8, 0]);
      await p.run('paste', { text: 'whole line\n', pasteOnNewLine: true });
      p.at([10, 0]);
      await p.run('editor.action.deleteLines');
      await p.run('editor.action.deleteLines');
      await p.run('undo');
    },
  },
  {
    name: 'delete-all',
    initial: letters,
    async script(p) {
      await p.run('editor.action.selectAll');
      await p.run('deleteLeft');
      await p.run('undo');
      await p.run('redo');
      await p.type('new text');
      await p.run('undo');
      await p.run('undo');
      await p.run('editor.action.selectAll');
      await p.type('replaced\nall\n');
      await p.run('undo');
    },
  },
  {
    name: 'indent',
    initial: code,
    async script(p) {
      p.at([5, 0]);
      await p.run('editor.action.indentLines');
      p.at([5, 0, 7, 2]);
      await p.run('editor.action.indentLines');
      await p.run('editor.action.outdentLines');
      await p.run('tab');
      await p.run('outdent');
      await p.run('undo');
      await p.run('editor.action.indentationToSpaces');
      await p.run('undo');
    },
  },
  {
    name: 'sort-transform',
    initial: letters,
    async script(p) {
      p.at([0, 0, 9, 1]);
      await p.run('editor.action.sortLinesAscending');
      await p.run('undo');
      await p.run('editor.action.sortLinesDescending');
      await p.run('editor.action.transformToUppercase');
      await p.run('undo');
      p.at([2, 1]);
      await p.run('editor.action.transposeLetters');
      await p.run('editor.action.removeDuplicateLines');
    },
  },
  {
    name: 'paste',
    initial: letters,
    async script(p) {
      p.at([2, 1]);
      await p.run('paste', { text: 'one word' });
      let many = '';
      for (let i = 0; i < 80; i++) many += `\tpasted line ${i}\n`;
      await p.run('paste', { text: many });
      await p.run('undo');
      p.at([4, 2], [6, 2]);
      await p.run('paste', { text: 'p1\np2', multicursorText: ['p1', 'p2'] });
      await p.run('undo');
      await p.run('redo');
    },
  },
  {
    name: 'completion',
    initial: code,
    async script(p) {
      const { vscode } = p;
      p.disposables.push(
        vscode.languages.registerCompletionItemProvider(
          { scheme: 'file', pattern: `${p.dir}/**` },
          {
            provideCompletionItems() {
              const item = new vscode.CompletionItem('Sprintf', vscode.CompletionItemKind.Function);
              item.insertText = new vscode.SnippetString('Sprintf(${1:format}, $0)');
              item.additionalTextEdits = [
                vscode.TextEdit.insert(new vscode.Position(2, 0), 'import "os"\n'),
              ];
              return [item];
            },
          }
        )
      );
      p.at([7, 18]);
      await p.type('\nfmt.Spr');
      await vscode.commands.executeCommand('editor.action.triggerSuggest');
      await p.look();
      await p.run('acceptSelectedSuggestion');
      await p.type('"%d"');
      await p.run('jumpToNextSnippetPlaceholder');
      await p.type('a');
      await p.run('leaveSnippet');
      await p.run('undo');
      await p.run('undo');
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'brackets',
    initial: code,
    async script(p) {
      p.at([7, 18]);
      await p.type('\nf(x[1], "a")');
      await p.type('{\nz');
      p.at([5, 1, 5, 2]);
      await p.type('(');
      await p.run('editor.action.commentLine');
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'extension-edit',
    initial: letters,
    async script(p) {
      await p.edit([1, 0, 2, 0, 'A1\nA2\n'], [5, 0, 6, 0, ''], [9, 1, 9, 1, 'G']);
      await p.run('undo');
      await p.run('redo');
    },
  },

  // Saving and formatting.
  {
    name: 'write',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.save();
      await p.run('undo');
      await p.save();
      await p.run('redo');
      await p.save();
      await p.save();
    },
  },
  {
    name: 'format-lsp',
    initial: letters,
    async script(p) {
      await formatter(p, false);
      p.at([1, 0, 1, 1]);
      await p.type('one   ');
      p.at([6, 2]);
      await p.type('  ');
      await p.save();
      await p.run('undo');
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'format-lsp-whole',
    initial: letters,
    async script(p) {
      await formatter(p, true);
      p.at([1, 0, 1, 1]);
      await p.type('one   ');
      p.at([6, 2]);
      await p.type('  ');
      await p.save();
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'format-settings',
    initial: 'one\ntwo\nthree',
    async script(p) {
      await p.setting('files.trimTrailingWhitespace', true);
      await p.setting('files.insertFinalNewline', true);
      await p.setting('files.trimFinalNewlines', true);
      p.at([0, 3]);
      await p.type('  ');
      p.at([2, 5]);
      await p.type('!');
      await p.save();
      await p.run('undo');
      p.at([2, 6]);
      await p.type('\n\n\n');
      await p.save();
    },
  },

  // Other names.
  {
    name: 'file-rename',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.save();
      await p.ask('act', { act: 'rename t.txt to new.txt in the explorer' });
      const edit = new p.vscode.WorkspaceEdit();
      edit.renameFile(p.uri('t.txt'), p.uri('new.txt'));
      await p.vscode.workspace.applyEdit(edit);
      await p.ask('settle');
      await p.open('new.txt');
      p.at([3, 0, 3, 1]);
      await p.type('two');
      await p.save();
    },
  },

  // Reloading.
  {
    name: 'reload-edit',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.run('workbench.action.files.revert');
      await p.run('undo');
      await p.run('redo');
      p.at([3, 0, 3, 1]);
      await p.type('two');
    },
  },
  {
    name: 'reload-watched',
    initial: letters,
    async script(p) {
      await p.writes('x1\na\nB\nc\nx2\nd\nnew\nx3\ne\nf\ng\n');
      await p.run('undo');
      await p.run('redo');
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'reload-after-edits',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.save();
      await p.writes('x1\none\nB\nc\nx2\nd\nnew\nx3\ne\nf\ng\n');
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
      await p.run('redo');
    },
  },
  {
    name: 'reload-modified',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.writes('x1\na\nB\nc\nx2\nd\nnew\nx3\ne\nf\ng\n');
      p.at([3, 0, 3, 1]);
      await p.type('two');
      await p.run('workbench.action.files.revert');
      await p.run('undo');
    },
  },
  {
    name: 'reload-git',
    initial: letters,
    async script(p) {
      const other = 'top\nx1\na\nb\nd\nx3\nE\nf\ng\nend\n';
      await p.program(null, 'git', 'init', '-q', '-b', 'main');
      await p.program(null, 'git', 'add', 't.txt');
      await p.program(null, 'git', 'commit', '-q', '-m', 'one');
      await p.program(null, 'git', 'checkout', '-q', '-b', 'other');
      await p.writes(other);
      await p.program(null, 'git', 'commit', '-q', '-a', '-m', 'two');
      await p.program(letters, 'git', 'checkout', '-q', 'main');
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.save();
      await p.program(letters, 'git', 'stash', '-q');
      await p.program(letters.replace('a', 'one'), 'git', 'stash', 'pop', '-q');
      await p.run('undo');
    },
  },
  {
    name: 'gone',
    initial: letters,
    async script(p) {
      await p.program(null, 'rm', 't.txt');
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.save();
    },
  },

  // Texts of other kinds.
  {
    name: 'crlf',
    initial: 'one\r\ntwo\r\nthree\r\nfour\r\n',
    async script(p) {
      p.at([1, 3]);
      await p.type('!\nnew');
      await p.run('paste', { text: 'p1\np2\n' });
      p.at([0, 0]);
      await p.run('editor.action.joinLines');
      await p.run('undo');
      await p.run('editor.action.deleteLines');
      await p.run('editor.action.selectAll');
      await p.run('deleteLeft');
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'crlf-to-lf',
    initial: 'one\r\ntwo\r\nthree\r\n',
    async script(p) {
      p.at([1, 3]);
      await p.type('!');
      await p.ask('act', { act: 'change end of line sequence to LF' });
      await p.editor.edit((b) => b.setEndOfLine(p.vscode.EndOfLine.LF));
      await p.look();
      p.at([2, 5]);
      await p.type('!');
      await p.run('undo');
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'mixed-line-ends',
    initial: 'one\r\ntwo\nthree\r\nfour\n',
    async script(p) {
      p.at([0, 3]);
      await p.type('!');
      p.at([1, 0]);
      await p.run('editor.action.joinLines');
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'lone-cr',
    initial: 'one\rtwo\nthree\nfour\n',
    async script(p) {
      p.at([1, 3]);
      await p.type('!');
      await p.save();
    },
  },
  {
    name: 'bom',
    initial: '\ufeffone\ntwo\n',
    async script(p) {
      p.at([0, 0]);
      await p.type('!');
      await p.save();
    },
  },
  {
    name: 'no-final-newline',
    initial: 'one\ntwo\nthree',
    async script(p) {
      p.at([2, 5]);
      await p.type('!');
      await p.type('\nfour');
      await p.run('editor.action.deleteLines');
      await p.run('editor.action.selectAll');
      await p.run('deleteLeft');
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'unicode',
    initial: text,
    async script(p) {
      p.at([0, 13]);
      await p.type(' é');
      p.at([0, 6]);
      await p.type('<');
      await p.run('deleteRight');
      await p.type('🎉');
      p.at([2, 0]);
      await p.run('deleteRight');
      await p.run('cursorEnd');
      await p.run('deleteLeft');
      p.at([0, 0]);
      await p.run('editor.action.joinLines');
      await p.run('undo');
    },
  },
  {
    name: 'empty',
    initial: '',
    async script(p) {
      await p.type('one');
      await p.run('undo');
      await p.type('\ntwo\nthree');
      await p.run('editor.action.selectAll');
      await p.run('deleteLeft');
      await p.type('x');
      await p.save();
    },
  },

  // The server edits the document, as acp-ls does for an agent.
  {
    name: 'agent-edit',
    initial: letters,
    async script(p) {
      await p.agent([1, 0, 2, 0, 'A1\nA2\n'], [5, 0, 6, 0, ''], [9, 1, 9, 1, 'G']);
      await p.run('undo');
      await p.run('redo');
      await p.agent([0, 0, 0, 0, 'top\n']);
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
      await p.run('redo');
      await p.save();
    },
  },
  {
    name: 'agent-between-user',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.agent([4, 0, 5, 0, 'X2\nX3\n']);
      p.at([6, 0, 6, 1]);
      await p.type('two');
      await p.agent([8, 0, 9, 0, 'EE\n']);
      for (let i = 0; i < 4; i++) await p.run('undo');
      for (let i = 0; i < 4; i++) await p.run('redo');
    },
  },
  {
    name: 'agent-same-line',
    initial: code,
    async script(p) {
      await p.agent([11, 8, 11, 13, 'y + x']);
      p.at([11, 13]);
      await p.type(' // sum');
      p.at([11, 8, 11, 9]);
      await p.type('z');
      for (let i = 0; i < 3; i++) await p.run('undo');
    },
  },
  {
    name: 'agent-stale',
    initial: letters,
    async script(p) {
      // The server's edit and a key race; then a version that is old for certain.
      p.at([1, 1]);
      await p.ask('act', { act: 'type p, while the edit is on its way' });
      const known = p.document.version;
      const typed = p.key('p');
      await p.apply({ version: known }, [4, 0, 5, 0, 'agent\n']);
      await typed;
      await p.look();
      await p.apply({ version: known }, [5, 0, 6, 0, 'agent\n']);
      await p.look();
      await p.agent([6, 0, 7, 0, 'agent\n']);
    },
  },
  {
    name: 'agent-no-version',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.apply({ version: null }, [4, 0, 5, 0, 'agent\n']);
      await p.look();
    },
  },
  {
    name: 'agent-then-type',
    initial: letters,
    async script(p) {
      p.at([1, 1]);
      await p.apply({}, [4, 0, 5, 0, 'agent 1\nagent 2\n']);
      await p.ask('act', { act: 'type pqr, at once' });
      await Promise.all([p.key('p'), p.key('q'), p.key('r')]);
      await p.look();
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
    },
  },
  {
    name: 'agent-while-typing',
    initial: letters,
    async script(p) {
      p.at([1, 1]);
      await p.type('bc');
      await p.agent([0, 0, 1, 0, 'first\nsecond\n']);
      await p.type('de');
      await p.agent([8, 0, 9, 0, '']);
      await p.type('fg');
      await p.run('undo');
      await p.run('undo');
      await p.run('undo');
      await p.run('undo');
      await p.run('redo');
    },
  },
  {
    name: 'agent-on-typing-line',
    initial: letters,
    async script(p) {
      p.at([1, 1]);
      await p.type('bc');
      await p.agent([1, 0, 2, 0, 'other\nabc\n']);
      await p.type('de');
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'agent-above-typing-line',
    initial: letters,
    async script(p) {
      p.at([1, 1]);
      await p.type('bc');
      await p.agent([1, 0, 1, 0, 'above\n'], [2, 0, 2, 0, 'below\n']);
      await p.type('de');
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'agent-two-at-once',
    initial: letters,
    async script(p) {
      const version = p.document.version;
      await Promise.all([
        p.apply({ version }, [1, 0, 2, 0, 'A\n']),
        p.apply({ version }, [3, 0, 4, 0, 'C\n']),
      ]);
      await p.look();
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'agent-many',
    initial: letters.repeat(8),
    async script(p) {
      const edits = [];
      for (let i = 0; i < 80; i += 4) edits.push([i, 0, i + 1, 0, 'agent\n'.repeat(i % 3)]);
      await p.agent(...edits);
      await p.run('undo');
      await p.run('redo');
    },
  },
  {
    name: 'agent-whole',
    initial: code,
    async script(p) {
      await p.agent([
        0, 0, 13, 0,
        'package main\n\nfunc add(x, y int) int {\n\treturn x + y\n}\n\nfunc main() {}\n',
      ]);
      await p.run('undo');
      await p.run('redo');
      await p.agent([0, 0, 7, 0, '']);
      await p.run('undo');
    },
  },
  {
    name: 'agent-empty',
    initial: '',
    async script(p) {
      await p.agent([0, 0, 0, 0, 'one\ntwo\n']);
      await p.run('undo');
      await p.run('redo');
      await p.save();
    },
  },
  {
    name: 'agent-last-line',
    initial: letters,
    async script(p) {
      await p.agent([9, 0, 10, 0, '']);
      await p.run('undo');
      await p.agent([9, 0, 10, 0, 'G\nh\n']);
      await p.agent([11, 0, 11, 0, 'i\n']);
      await p.agent([12, 0, 13, 0, 'past the end\n']);
    },
  },
  {
    name: 'agent-no-final-newline',
    initial: 'one\ntwo\nthree',
    async script(p) {
      await p.agent([2, 0, 2, 5, 'THREE']);
      await p.agent([2, 5, 2, 5, '\nfour']);
      await p.agent([3, 4, 3, 4, '\n']);
      await p.save();
    },
  },
  {
    name: 'agent-crlf',
    initial: 'one\r\ntwo\r\nthree\r\n',
    async script(p) {
      await p.agent([1, 0, 2, 0, 'TWO\r\nmore\r\n']);
      await p.run('undo');
      await p.agent([1, 0, 2, 0, 'TWO\nmore\n']);
      await p.agent([0, 0, 1, 0, 'ONE\rone\r\n']);
      await p.save();
    },
  },
  {
    name: 'agent-lf-gets-crlf',
    initial: 'one\ntwo\nthree\n',
    async script(p) {
      await p.agent([1, 0, 2, 0, 'TWO\r\nmore\r\n']);
      await p.run('undo');
      await p.save();
    },
  },
  {
    name: 'agent-unicode',
    initial: 'naïve 😀 text\n日本語\n',
    async script(p) {
      await p.agent([1, 0, 2, 0, '日本 😀\n']);
      p.at([0, 6]);
      await p.type('!');
      await p.agent([0, 7, 0, 9, '🎉']);
      await p.run('undo');
      await p.run('undo');
    },
  },
  {
    name: 'agent-save',
    initial: letters,
    async script(p) {
      await p.apply({}, [1, 0, 2, 0, 'A\n']);
      await p.save();
      await p.run('undo');
      await p.apply({}, [3, 0, 4, 0, 'C\n']);
      await p.save();
    },
  },
  {
    name: 'agent-reload',
    initial: letters,
    async script(p) {
      p.at([1, 0, 1, 1]);
      await p.type('one');
      await p.save();
      await p.writes('x1\none\nb\nc\nX2\nd\nx3\ne\nf\ng\n');
      p.at([7, 1]);
      await p.type('!');
      for (let i = 0; i < 3; i++) await p.run('undo');
      for (let i = 0; i < 3; i++) await p.run('redo');
    },
  },
];
