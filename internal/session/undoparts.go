package session

import "acp-ls/buffers"

// inParts reports whether the changes of an event are in places that do not touch each other, as
// those of one undo are in editors that tell it in as many changes as it has parts (VS Code).
// Letters that were typed one after the other do.
func inParts(steps []buffers.Step) bool {
	for i := 1; i < len(steps); i++ {
		if was, s := steps[i-1], steps[i]; s.Start <= was.NewEnd && was.Start <= s.OldEnd {
			return false
		}
	}
	return len(steps) > 1
}
