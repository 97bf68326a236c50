/** The messages of acp-ls, and who sees to each. */
import * as vscode from 'vscode';
import type { App } from './app';
import type { Handlers } from './connection';
import { diagnostics, editorState, run } from './editor';

export function handlersOf(app: App): Pick<Handlers, 'notifications' | 'requests'> {
  const { model, questions, documents } = app;
  return {
    notifications: {
      'acp/session': (info) => model.onSession(info),
      'acp/entry': (params) => model.onEntry(params),
      'acp/chunk': (params) => model.onChunk(params),
      'acp/terminal': (params) => model.onTerminal(params),
      'acp/review': (review) => {
        // acp-ls and VS Code may spell one URI differently.
        const uri = vscode.Uri.parse(review.uri).toString();
        app.review.update({ ...review, uri });
        app.reviewChanged(uri);
      },
      'acp/dismiss': ({ id }) => questions.dismiss(id),
    },
    requests: {
      'acp/permission': (question) => questions.ask(question),
      'acp/ask': (form) => questions.fill(form),
      'acp/save': (params) => documents.save(params),
      'acp/reload': (params) => documents.reload(params),
      'acp/base': async (params) => documents.base(params),
      'acp/editor': async () => editorState(app.typing),
      'acp/run': (params, token) => run(params, token),
      'acp/diagnostics': async (params) => diagnostics(params),
    },
  };
}
