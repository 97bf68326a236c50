/** The settings `acpls.*` as section `acp` of the editor contract. */
import * as vscode from 'vscode';

/**
 * The settings of acp-ls, by their names in VS Code. Only those that somebody has set are sent:
 * the others are left to the user's own file `acp-ls/config.json`.
 */
const sent = [
  'defaultAgent',
  'agents',
  'mcpServers',
  'permissions',
  'review.codeLens',
  'files.save',
  'files.dirty',
  'files.outside',
  'terminal',
  'trace',
] as const;

type Section = Record<string, unknown>;

/** What has been set of a setting, or undefined. */
type Lookup = (name: string) => unknown;

/** Section `acp`. Pure. */
export function sectionOf(lookup: Lookup): Section {
  // The extension draws what is to be decided on, so hints would show it twice.
  const section: Section = { review: { diagnostics: false } };
  for (const name of sent) {
    const value = lookup(name);
    if (value === undefined) {
      continue;
    }
    const [first, second] = name.split('.') as [string, string | undefined];
    if (second === undefined) {
      section[first] = value;
    } else {
      section[first] = { ...(section[first] as Section | undefined), [second]: value };
    }
  }
  return section;
}

/** Section `acp` as it is set now. */
export function section(): Section {
  const settings = vscode.workspace.getConfiguration('acpls');
  return sectionOf((name) => {
    const found = settings.inspect(name);
    const set =
      found !== undefined &&
      [found.globalValue, found.workspaceValue, found.workspaceFolderValue].some(
        (value) => value !== undefined,
      );
    return set ? settings.get(name) : undefined;
  });
}

export function serverPath(): string {
  return vscode.workspace.getConfiguration('acpls').get('server.path', '').trim();
}
