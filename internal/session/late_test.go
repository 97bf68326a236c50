package session

import (
	"context"
	"testing"
)

// What comes of a tool call after its turn does not open it again; what it has
// become is still taken. A call of the running turn may go on after it ended.
func TestLateToolUpdates(t *testing.T) {
	l := &fakeLauncher{}
	c, _, _ := setup(t, l)
	var host Host
	var remote string
	l.prompt = func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		host, remote = a.host, sid
		for _, id := range []string{"open", "done", "again"} {
			a.host.Update(sid, ToolPatch{ID: id, Title: str(id), Status: str("in_progress")})
		}
		a.host.Update(sid, ToolPatch{ID: "done", Status: str("completed")})
		a.host.Update(sid, ToolPatch{ID: "again", Status: str("failed")})
		a.host.Update(sid, ToolPatch{ID: "again", Status: str("in_progress")})
		a.host.Update(sid, ToolPatch{ID: "again", Status: str("completed")})
		return StopCancelled, nil
	}
	res, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true})
	if err != nil {
		t.Fatal(err)
	}
	check := func(want ...string) {
		t.Helper()
		entries, err := c.Entries(res.Session, 1)
		if err != nil || len(entries) != len(want)+1 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		if end := entries[len(want)]; end.Kind != EntryNotice || end.Text != "stopped: fake says that the turn was cancelled" {
			t.Errorf("ended with %+v", end)
		}
		for i, en := range entries[:len(want)] {
			if got := en.Tool.Title + " " + en.Tool.Status; got != want[i] {
				t.Errorf("call %q, want %q", got, want[i])
			}
		}
	}
	check("open cancelled", "done completed", "again completed")
	host.Update(remote, ToolPatch{ID: "open", Status: str("in_progress")})
	host.Update(remote, ToolPatch{ID: "done", Title: str("done late"), Status: str("pending")})
	check("open cancelled", "done late completed", "again completed")
	host.Update(remote, ToolPatch{ID: "open", Status: str("failed")})
	check("open failed", "done late completed", "again completed")
}
