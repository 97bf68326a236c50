/** The page's way to the extension host, and what it keeps while it is hidden. */
import type { Attachment, PageMessage } from '../protocol';

/** What outlives the page being hidden or reloaded. */
export interface Kept {
  draft: string;
  attachments: Attachment[];
  /** A prompt whose arrival is not known yet. */
  sending?: { text: string; attachments: Attachment[] };
  /** By session, the prompts that wait for its turn to end. They are in acp-ls, and end with it. */
  waiting?: Record<string, string[]>;
  /** The prompts that were given up with their agents, and are in the input again. */
  unsent?: string[];
}

interface Api {
  postMessage(message: PageMessage): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): Api;

export const host = acquireVsCodeApi();

export function post(message: PageMessage): void {
  host.postMessage(message);
}
