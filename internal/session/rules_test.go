package session

import (
	"os"
	"path/filepath"
	"testing"

	"acp-ls/internal/config"
	"acp-ls/internal/policy"
)

// What ~/ stands for in a rule is known wherever a rule is looked up: in an agent's question, when
// it reads and writes through us, and when it runs a program; also where the home folder is
// reached by a link.
func TestRulesKnowTheHomeFolder(t *testing.T) {
	real, link := t.TempDir(), filepath.Join(t.TempDir(), "home")
	homes := []string{real}
	if os.Symlink(real, link) == nil {
		homes = append(homes, link)
	}
	for _, home := range homes {
		t.Setenv("HOME", home)
		t.Setenv("USERPROFILE", home)
		writeFile(t, filepath.Join(real, "notes"), "n\n")
		l := &fakeLauncher{}
		c, e, _ := setup(t, l, func(s *config.Settings) {
			s.Permissions = []policy.Rule{{Path: "~/**", Decide: policy.Deny}, {Decide: policy.Allow}}
		})
		e.onPermission = func(q Question) (string, error) {
			t.Errorf("the user is asked: %s", q.Message)
			return "", ErrUnanswered
		}
		options := []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}}
		turnOf(t, c, l, func(h Host, sid string) {
			for _, folder := range homes {
				path := filepath.Join(folder, "notes")
				for _, kind := range []string{"read", "edit"} {
					at := []Location{{Path: path}}
					o, err := h.RequestPermission(t.Context(), sid, PermissionRequest{ToolCall: ToolPatch{ID: "t" + kind, Kind: &kind, Locations: &at}, Options: options})
					if err != nil || o.OptionID != "no" {
						t.Errorf("home %s: to %s %s is answered %+v, %v", home, kind, path, o, err)
					}
				}
				o, err := h.RequestPermission(t.Context(), sid, PermissionRequest{ToolCall: ToolPatch{ID: "raw", Kind: str("read"), RawInput: []byte(`{"path":"~/notes"}`)}, Options: options})
				if err != nil || o.OptionID != "no" {
					t.Errorf("home %s: to read ~/notes is answered %+v, %v", home, o, err)
				}
				if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); KindOf(err) != KindOutside {
					t.Errorf("home %s: %s was read: %v", home, path, err)
				}
				if err := h.WriteTextFile(t.Context(), sid, path, "x\n"); KindOf(err) != KindOutside {
					t.Errorf("home %s: %s was written: %v", home, path, err)
				}
			}
			if r := c.allSessions()[0].request("execute", "ls", nil); r.Home == "" {
				t.Error("a program's request knows no home folder")
			}
		})
	}
}

// What a question says of files and commands counts, also if the call it is about has ended, as far as
// its agent has said: some give a call the name of an earlier one.
func TestRulesKnowWhatIsAskedOfAnEndedCall(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l, func(s *config.Settings) {
		s.Permissions = []policy.Rule{{Path: "kept/**", Decide: policy.Deny}, {Command: "rm *", Decide: policy.Deny}, {Command: "*", Decide: policy.Allow}}
	})
	e.onPermission = func(q Question) (string, error) {
		t.Errorf("the user is asked: %s", q.Message)
		return "", ErrUnanswered
	}
	options := []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}}
	turnOf(t, c, l, func(h Host, sid string) {
		for _, status := range []string{"pending", "completed", "failed"} {
			for raw, want := range map[string]string{
				`{"path":"kept/a"}`: "no",
				`{"path":"a"}`:      "yes",
				`{"command":["sh","-c","rm a; ls","sh"]}`: "no",
				`{"command":["sh","-c","ls","sh"]}`:       "yes",
			} {
				id := status + raw
				at := []Location{{Path: filepath.Join(root, "a")}}
				h.Update(sid, ToolPatch{ID: id, Kind: str("edit"), Status: &status, Locations: &at})
				o, err := h.RequestPermission(t.Context(), sid, PermissionRequest{ToolCall: ToolPatch{ID: id, RawInput: []byte(raw)}, Options: options})
				if err != nil || o.OptionID != want {
					t.Errorf("%s, which is %s, is answered %+v, %v", raw, status, o, err)
				}
			}
		}
	})
}
