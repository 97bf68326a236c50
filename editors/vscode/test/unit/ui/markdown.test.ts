import * as assert from 'node:assert/strict';
import { lastBlock, render } from '../../../src/chat/ui/markdown';

suite('markdown of the chat', () => {
  test('HTML stays text', () => {
    for (const text of [
      '<img src=x onerror=alert(1)>',
      '<script>alert(1)</script>',
      'a <b onclick="x">b</b>',
      '```"><img>\n<img>\n```',
      '[a](https://x.y/"><img>)',
      '![<img>](https://x.y/z.png)',
    ]) {
      assert.doesNotMatch(render(text), /<(img|script|b)\b/, text);
    }
  });

  test('links are left to the host, and scripts are no links', () => {
    const links: Array<[string, string]> = [
      ['https://x.y/?a=1&b=2', 'https://x.y/?a=1&amp;b=2'],
      ['src/main.go#L3', 'src/main.go#L3'],
      ['main.go:12', 'main.go:12'],
      ['file:///w/a.go', 'file:///w/a.go'],
      ['C:/w/a.go', 'C:/w/a.go'],
    ];
    for (const [to, href] of links) {
      const html = render(`[a](${to})`);
      assert.ok(html.includes(`data-href="${href}"`), html);
      assert.doesNotMatch(html, /[^-]href=/);
    }
    for (const to of [
      'javascript:alert(1)',
      'vscode:x',
      'command:acpls.stop',
      'data:text/html,x',
    ]) {
      assert.doesNotMatch(render(`[a](${to})`), /<a/, to);
    }
  });

  test('pictures of the net are links, those that came along are shown', () => {
    assert.match(render('![a](https://x.y/z.png)'), /<a [^>]*data-href="https:\/\/x.y\/z.png"/);
    assert.match(render('![a](data:image/png;base64,AA==)'), /<img src="data:image\/png/);
  });

  test('nothing has a style of its own', () => {
    const html = render('|a|b|\n|--:|:-:|\n|1|2|\n');
    assert.doesNotMatch(html, /style=/);
    assert.match(html, /<td class="align-right">/);
  });

  test('a text that is drawn block by block looks like one that is drawn at once', () => {
    const text = [
      '# Title\n\nA *paragraph*\nof two lines.\n\n',
      '- one\n\n  more\n- two\n\n```go\nfunc a() {\n\n}\n```\n',
      '> quote\n\n| a |\n|---|\n| 1 |\n\n[l]: https://x.y\n\nsee [l]\r\n\r\nend',
    ].join('');
    for (let step = 1; step < 9; step++) {
      let drawn = '';
      let frozen = 0;
      const memory = {};
      for (let end = step; ; end += step) {
        const rest = text.slice(frozen, end);
        const last = lastBlock(rest);
        drawn += render(rest.slice(0, last), memory);
        frozen += last;
        if (end >= text.length) {
          break;
        }
      }
      assert.equal(drawn + render(text.slice(frozen), memory), render(text), `steps of ${step}`);
    }
  });
});
