/** The turns whose changes there are to decide on, as a list to choose from. Pure. */
import { splitLines } from './lines';
import { type FileReview, plural } from './state';

/** A turn. Ids of turns are of their session. */
export interface Turn {
  session: string;
  turn: string;
}

export interface TurnChoice {
  label: string;
  description: string;
  value: Turn;
}

/**
 * The turns to offer, newest first: those with changes of lines, and, while there is a file that is
 * to be decided on as a whole, of which it is not told who has changed it, all that were prompted.
 * @param prompts those of the session that is shown, oldest first
 */
export function turnsOf(
  files: FileReview[],
  prompts: Array<Turn & { text: string }>,
): TurnChoice[] {
  const found = new Map<string, TurnChoice & { changes: number }>();
  const add = (value: Turn, label: string) => {
    const key = `${value.session} ${value.turn}`;
    const choice = found.get(key) ?? { label, description: '', value, changes: 0 };
    found.set(key, choice);
    return choice;
  };
  for (const { text, session, turn } of prompts.toReversed()) {
    add({ session, turn }, splitLines(text)[0] ?? '');
  }
  for (const { hunk } of files.flatMap(({ hunks }) => hunks)) {
    const turns = new Set<TurnChoice & { changes: number }>();
    for (const { session, turn, agent, title } of hunk.origins) {
      if (turn !== '') {
        turns.add(add({ session, turn }, title === '' ? agent : `${agent}: ${title}`));
      }
    }
    for (const choice of turns) {
      choice.changes++;
      choice.description = plural(choice.changes, 'change');
    }
  }
  const whole = files.some(({ review }) => review.file !== undefined);
  return [...found.values()]
    .filter(({ changes }) => whole || changes > 0)
    .map(({ label, description, value }) => ({ label, description, value }));
}
