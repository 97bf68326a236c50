/** What can be done about an agent that does not stop. Pure. */
import type { Entry, SessionInfo } from '../contract';

/** What is said of a session that is to stop and does not, where a restart of its agent ends it. */
export function restartOffer(
  info: SessionInfo | undefined,
  entries: readonly Entry[],
): Entry | undefined {
  return info?.stopping
    ? entries.findLast(({ restart, turn }) => restart !== undefined && turn === info.turn)
    : undefined;
}
