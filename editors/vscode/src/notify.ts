/** Questions as notifications, for when the chat cannot be seen. */
import * as vscode from 'vscode';
import type { App } from './app';
import type { Asked, Form } from './chat/protocol';
import type { ChatView } from './chat/view';
import { notificationText, whoAsks } from './questions';

const show = 'Show…';

/**
 * Shows a question, unless the chat does. Hiding the notification is no answer: it stays in the
 * chat and the status.
 * @returns whether it is shown
 */
export function announce(app: App, view: ChatView, asked: Asked | Form, unseen: boolean): boolean {
  if (view.visible && !unseen) {
    return false;
  }
  void notify(app, asked);
  return true;
}

async function notify(app: App, asked: Asked | Form): Promise<void> {
  const alive = app.model.sessions().filter(({ session }) => app.model.isAlive(session));
  const who = whoAsks(asked.session, alive);
  const { text, options } = 'options' in asked ? question(asked, who) : form(asked, who);
  const chosen = await vscode.window.showInformationMessage(text, ...options, { title: show });
  if (chosen === undefined) {
    return;
  }
  if (chosen.title === show || !('optionId' in chosen)) {
    await app.chat.open('question');
  } else if (app.questions.question(asked.id) !== undefined && app.questions.isInert(asked)) {
    await notify(app, asked); // a keystroke that was meant for something else
  } else {
    await app.chat.answer(asked.id, chosen.optionId);
  }
}

interface Item extends vscode.MessageItem {
  optionId?: string;
}

function question(asked: Asked, who = asked.agent): { text: string; options: Item[] } {
  const whole = notificationText(asked);
  const options = asked.options.map(({ name, optionId }) => ({ title: name, optionId }));
  return {
    text: `${who} asks: ${whole ?? asked.toolCall.title}`,
    options: whole === undefined ? [] : options,
  };
}

function form(asked: Form, who?: string): { text: string; options: Item[] } {
  return { text: who === undefined ? asked.title : `${who} asks: ${asked.title}`, options: [] };
}
