/** What is said where no command can be proposed. Pure. */
import type { SessionInfo } from '../contract';

/**
 * @param info the session that is shown, if it takes prompts
 * @param next the agent that the next prompt starts otherwise
 * @returns undefined if there are commands, of which none is meant
 */
export function noCommands(
  info: Pick<SessionInfo, 'agent' | 'state' | 'commands'> | undefined,
  next = 'the agent',
): string | undefined {
  if (info === undefined || info.state === 'failed') {
    const agent = info?.agent || next;
    return `The commands of ${agent} come with its session: your next prompt starts it.`;
  }
  if (info.commands.length > 0) {
    return undefined;
  }
  return info.state === 'starting'
    ? `${info.agent} is being started: its commands come then.`
    : `${info.agent} has no commands.`;
}
