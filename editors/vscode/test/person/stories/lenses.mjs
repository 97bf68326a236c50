// The code lenses of a document that comes to the front work also if the focus goes elsewhere
// before VS Code has new ones: until then it shows those of before, which do nothing.
const before = 'one\ntwo\n';

export const files = { 'lens.txt': before, 'other.txt': before };

export async function play(window, step) {
  const { page } = window;

  await step('a change', async () => {
    await window.openFile('lens.txt');
    await window.turn({ write: 'lens.txt', text: 'one\n2\n' });
    await window.hunksAre(1);
  });

  await step('the focus leaves while its lenses are those of before', async () => {
    await window.openFile('other.txt');
    await window.hunksAre(0);
    const left = page.evaluate(
      () =>
        new Promise((resolve) => {
          const look = () => {
            const all = document.querySelectorAll('.codelens-decoration');
            if (all.length > 0 && document.querySelector('.codelens-decoration a') === null) {
              observer.disconnect();
              document.activeElement.blur();
              resolve();
            }
          };
          const observer = new MutationObserver(look);
          observer.observe(document.body, { subtree: true, childList: true });
        }),
    );
    await window.tab('lens.txt').click();
    await left;
  });

  await step('they work again', async () => {
    await page.locator('.codelens-decoration a', { hasText: /^Reject$/ }).click();
    await window.hunksAre(0);
    await window.diskIs('lens.txt', before);
  });
}
