/**
 * What agents ask (`acp/permission`, `acp/ask`). A question is open until somebody has answered
 * it or acp-ls withdraws it: hiding a notification, Esc, or closing the chat answer nothing.
 * Pure: how questions are shown is the business of others.
 */

import type { Asked, Form } from './chat/protocol';
import type { Question, Requests, SessionInfo } from './contract';

/** For how long a question that has just appeared takes no answer: somebody may be typing. */
export const inert = 500;

type Permission = Requests['acp/permission']['result'] | null;
type Answered = Requests['acp/ask']['result'];

export interface QuestionsView {
  /** The open questions and forms have changed. */
  changed(questions: Asked[], forms: Form[]): void;
  /**
   * A question has come up that the user should see.
   * @param unseen whether it is known not to be seen in the chat
   * @returns whether the user is told outside of the chat
   */
  announce(asked: Asked | Form, unseen: boolean): boolean;
}

export class Questions {
  private readonly questions = new Map<
    string,
    { asked: Asked; reply?: (answer: Permission) => void }
  >();
  private readonly forms = new Map<string, { form: Form; reply: (answer: Answered) => void }>();
  /** Those that were left to the chat to show. */
  private readonly inChat = new Set<Asked | Form>();

  constructor(
    private readonly view: QuestionsView,
    private readonly now: () => number = Date.now,
  ) {}

  /** acp/permission: resolves with the answer, or with null when it is withdrawn. */
  ask(question: Question): Promise<Permission> {
    this.questions.get(question.id)?.reply?.(null); // asked again: the old request is void
    return new Promise((reply) => {
      const asked = { ...question, since: this.now() };
      this.questions.set(question.id, { asked, reply });
      this.told();
      this.announce(asked, false);
    });
  }

  /** acp/ask. */
  fill(params: Requests['acp/ask']['params']): Promise<Answered> {
    this.forms.get(params.id)?.reply({ action: 'cancel' });
    return new Promise((reply) => {
      const form = { ...params, since: this.now() };
      this.forms.set(params.id, { form, reply });
      this.told();
      this.announce(form, false);
    });
  }

  /** The chat has not the room to show a question. */
  unseen(id: string): void {
    const asked = this.questions.get(id)?.asked ?? this.forms.get(id)?.form;
    if (asked !== undefined && this.inChat.has(asked)) {
      this.announce(asked, true);
    }
  }

  /** Questions that were put off before this window knew of them (acp.permission.list). */
  addEarlier(questions: Question[]): void {
    for (const question of questions) {
      if (!this.questions.has(question.id)) {
        this.questions.set(question.id, { asked: { ...question, since: this.now() } });
      }
    }
    this.told();
  }

  /**
   * Answers a question.
   * @returns `early` if it has only just appeared and stays open; `elsewhere` if acp-ls does
   *   not wait for us and has to be told by acp.permission.answer; `unknown` if there is none.
   */
  answer(id: string, optionId: string): 'done' | 'early' | 'elsewhere' | 'unknown' {
    const open = this.questions.get(id);
    if (open === undefined || !open.asked.options.some((o) => o.optionId === optionId)) {
      return 'unknown';
    }
    if (this.isInert(open.asked)) {
      return 'early';
    }
    this.questions.delete(id);
    this.told();
    if (open.reply === undefined) {
      return 'elsewhere';
    }
    open.reply({ optionId });
    return 'done';
  }

  answerForm(id: string, answer: Answered): 'done' | 'early' | 'unknown' {
    const open = this.forms.get(id);
    if (open === undefined) {
      return 'unknown';
    }
    if (this.isInert(open.form)) {
      return 'early';
    }
    this.forms.delete(id);
    this.told();
    open.reply(answer);
    return 'done';
  }

  /** Whether a question has only just appeared. */
  isInert(asked: { since: number }): boolean {
    return this.now() - asked.since < inert;
  }

  isOpen(id: string): boolean {
    return this.questions.has(id) || this.forms.has(id);
  }

  question(id: string): Asked | undefined {
    return this.questions.get(id)?.asked;
  }

  count(): number {
    return this.questions.size + this.forms.size;
  }

  /** acp/dismiss: answered elsewhere or withdrawn. */
  dismiss(id: string): void {
    const question = this.questions.get(id);
    const form = this.forms.get(id);
    if (question === undefined && form === undefined) {
      return;
    }
    this.questions.delete(id);
    this.forms.delete(id);
    this.told();
    question?.reply?.(null);
    form?.reply({ action: 'cancel' });
  }

  /** acp-ls has ended. */
  clear(): void {
    for (const id of [...this.questions.keys(), ...this.forms.keys()]) {
      this.dismiss(id);
    }
  }

  private announce(asked: Asked | Form, unseen: boolean): void {
    if (this.view.announce(asked, unseen)) {
      this.inChat.delete(asked);
    } else {
      this.inChat.add(asked);
    }
  }

  private told(): void {
    const questions = [...this.questions.values()].map(({ asked }) => asked);
    const forms = [...this.forms.values()].map(({ form }) => form);
    const open = new Set<Asked | Form>([...questions, ...forms]);
    for (const asked of this.inChat) {
      if (!open.has(asked)) {
        this.inChat.delete(asked);
      }
    }
    this.view.changed(questions, forms);
  }
}

/** How long a text may be that is shown whole in a notification. */
const notificationLength = 250;

/**
 * What a notification says of a question that can be answered there: only if all that it is about
 * can be seen. A difference cannot, nor can a long command or one of several lines, for a
 * notification is one line.
 */
export function notificationText({ message, toolCall }: Question): string | undefined {
  const [title = '', ...rest] = message.trim().split(/\r\n|\r|\n/);
  const text = rest.length > 0 ? `${title}: ${rest.join(', ')}` : title;
  const whole =
    text.length <= notificationLength &&
    !/[\r\n]/.test((toolCall.command ?? '').trim()) &&
    !/[\r\n]/.test(toolCall.title.trim()) &&
    !(toolCall.content ?? []).some(({ type }) => type === 'diff');
  return whole ? text : undefined;
}

/** How long a title may be that says in a notification which session asks. */
const titleLength = 60;

/** Which of several sessions asks, in words; undefined if there is but one. */
export function whoAsks(
  session: string,
  sessions: ReadonlyArray<Pick<SessionInfo, 'session' | 'agent' | 'title'>>,
): string | undefined {
  const info = sessions.find((one) => one.session === session);
  if (info === undefined || sessions.length < 2) {
    return undefined;
  }
  const [title = ''] = info.title.trim().split(/[\r\n]/);
  const short = title.length > titleLength ? `${title.slice(0, titleLength)}…` : title;
  return `${info.agent} (${short || 'a session without a title'})`;
}
