/**
 * The conversation of before this window was opened or loaded anew. acp-ls and its agents end with
 * the window, and an agent that keeps conversations is the one to give it back. Which one it was is
 * all that is remembered here. Pure: knows nothing of VS Code.
 */
import type { SessionInfo } from '../contract';

/** What is needed to load a session again, and to say which it was. */
export type Before = Pick<SessionInfo, 'agent' | 'sessionId' | 'cwd' | 'title'> & {
  /** Its agent cannot load it: all that can be done is to say so. */
  gone?: true;
};

/** Why a conversation cannot be taken up again. */
export function whyGone(agent: string): string {
  return `${agent} does not keep conversations, and does not know what was said before`;
}

/** Where it is kept: `workspaceState`. */
export interface Memory {
  get(key: string): unknown;
  update(key: string, value: unknown): Thenable<void>;
}

const key = 'conversation';

export class LastConversation {
  constructor(private readonly memory: Memory) {}

  get(): Before | undefined {
    const kept = this.memory.get(key) as Partial<Before> | undefined;
    const { agent, sessionId, cwd = '', title = '', gone } = kept ?? {};
    return agent && sessionId ? { agent, sessionId, cwd, title, ...(gone && { gone }) } : undefined;
  }

  /** Remembers the conversation that is shown, once it has begun, and whether its agent can load it. */
  note({ agent, sessionId, cwd, title, loads }: SessionInfo): void {
    const last = this.get();
    const same = last?.agent === agent && last.sessionId === sessionId;
    // A session that was loaded may have no title until its next prompt.
    const next: Before = {
      agent,
      sessionId,
      cwd,
      title: title || (same ? last.title : ''),
      ...(!loads && { gone: true }),
    };
    const isNew = !same || last.title !== next.title || last.cwd !== cwd || last.gone !== next.gone;
    if (sessionId !== '' && isNew) {
      void this.memory.update(key, next);
    }
  }

  /** Forgets a conversation: it was closed, or its agent has not kept it. */
  forget({ agent, sessionId }: Pick<Before, 'agent' | 'sessionId'>): void {
    const last = this.get();
    if (last?.agent === agent && last.sessionId === sessionId) {
      void this.memory.update(key, undefined);
    }
  }
}
