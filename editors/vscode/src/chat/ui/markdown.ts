/**
 * Markdown of agents as HTML that is safe to show: HTML in it stays text, links are no links but
 * marked for the host to follow, images of the net are links as well. Pure.
 */
import MarkdownIt from 'markdown-it';

/** What agents link to: the web, mail, files by URI or by path. */
function allowed(href: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(href.trim())?.[1]?.toLowerCase();
  return (
    scheme === undefined ||
    scheme.length === 1 || // a drive of Windows
    /^(https?|mailto|file)$/.test(scheme) ||
    /^[^:]*:\d+(:\d+)?$/.test(href.trim()) // main.go:12
  );
}

type Token = ReturnType<typeof md.parse>[number];

const md = new MarkdownIt({ html: false, linkify: true, typographer: false });
md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
md.validateLink = (href) => allowed(href) || /^data:image\/(png|gif|jpeg|webp);base64,/i.test(href);

function attribute(token: Token | undefined, name: string): string {
  return String(token?.attrGet(name) ?? '');
}

function linkTo(href: string): string {
  const text = md.utils.escapeHtml(href);
  return `<a class="link" role="link" tabindex="0" data-href="${text}" title="${text}">`;
}

md.renderer.rules.link_open = (tokens, at) => linkTo(attribute(tokens[at], 'href'));

md.renderer.rules.image = (tokens, at) => {
  const token = tokens[at];
  const source = attribute(token, 'src');
  const alt = md.utils.escapeHtml(token?.content || 'image');
  return source.startsWith('data:')
    ? `<img src="${md.utils.escapeHtml(source)}" alt="${alt}">`
    : `${linkTo(source)}${alt}</a>`;
};

const code = (text: string, language: string): string =>
  `<div class="code"><button type="button" class="copy" title="Copy" aria-label="Copy the code"></button><pre tabindex="0" role="group" aria-label="Code"><code${
    language ? ` data-language="${md.utils.escapeHtml(language)}"` : ''
  }>${md.utils.escapeHtml(text)}</code></pre></div>\n`;

md.renderer.rules.fence = (tokens, at) => {
  const token = tokens[at];
  return code(token?.content ?? '', token?.info.trim().split(/\s+/)[0] ?? '');
};
md.renderer.rules.code_block = (tokens, at) => code(tokens[at]?.content ?? '', '');

// The page's policy takes no style attributes, which are how cells are aligned.
for (const cell of ['th_open', 'td_open'] as const) {
  md.renderer.rules[cell] = (tokens, at, options, _env, self) => {
    const token = tokens[at];
    const align = /text-align:\s*(\w+)/.exec(attribute(token, 'style'))?.[1];
    if (token !== undefined && align !== undefined) {
      token.attrs = [['class', `align-${align}`]];
    }
    return self.renderToken(tokens, at, options);
  };
}

/** What is known of a text that is rendered piece by piece: its link definitions. */
export type Memory = Record<string, unknown>;

export function render(text: string, memory: Memory = {}): string {
  return md.render(text, memory);
}

/**
 * Where the last block of a text begins. What is before it does not change when text is added:
 * it need not be rendered again.
 */
export function lastBlock(text: string): number {
  let line = 0;
  for (const { level, map } of md.parse(text, {})) {
    if (level === 0 && map !== null) {
      line = map[0];
    }
  }
  let at = 0;
  for (; line > 0; line--) {
    at = text.indexOf('\n', at) + 1;
  }
  return at;
}
