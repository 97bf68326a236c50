// What has the focus, as a screen reader is told of it.

/** The first row of what Playwright says of an element; the text of a `summary` is its name. */
const said = /^- '?(\w+)(?: "((?:[^"\\]|\\.)*)"|(?<=text): (.+))?/;

/** The role and the name of an element; of what is of no use to a screen reader neither. */
async function describe(element) {
  // It may be gone by now: who waits looks again.
  const shown = await element.ariaSnapshot({ timeout: 1000 }).catch(() => '');
  const [, role = '', name, text = ''] = said.exec(shown) ?? [];
  return { role, name: name ?? text };
}

/**
 * What has the focus: its role and name, and those of what is chosen in it, as a row of a list.
 * @param {import('playwright-core').Page} page
 * @returns {Promise<{role: string, name: string, place: string, chosen?: {role: string, name: string}}>}
 *   `place` is the part of the window that it is in: `chat`, `editor`, `changes` (all of
 *   them side by side), `list`, `prompt` (where commands are chosen) or, where it is in none, the element itself
 */
export async function focused(page) {
  let frame = page.mainFrame();
  for (;;) {
    const active = (await frame.evaluateHandle(() => document.activeElement)).asElement();
    const inner = await active?.contentFrame();
    if (!inner) {
      break;
    }
    frame = inner;
  }
  const { place, row } = await frame.evaluate(() => {
    const active = document.activeElement;
    const places = {
      chat: '#app',
      prompt: '.quick-input-widget',
      changes: '.multiDiffEntry',
      editor: '.editor-instance',
      list: '.monaco-list',
    };
    const [found] = Object.entries(places).find(([, where]) => active?.closest(where)) ?? [];
    return {
      place: found ?? active?.outerHTML.slice(0, 300) ?? 'nowhere',
      row: active?.getAttribute('aria-activedescendant'),
    };
  });
  const element = frame.locator(':focus');
  if ((await element.count()) === 0) {
    return { place, role: '', name: '' };
  }
  const chosen = row ? frame.locator(`[id="${row}"]`) : undefined;
  return {
    place,
    ...(await describe(element)),
    ...(chosen && (await chosen.count()) > 0 && { chosen: await describe(chosen) }),
  };
}
