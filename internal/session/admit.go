package session

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// Which files an agent may read and write through us. Links are resolved before
// anything is looked at, so that they lead nowhere else.

// admit turns a path an agent named into one it may use: absolute, links
// resolved, inside the session's roots or admitted by the user.
func (c *Core) admit(ctx context.Context, s *session, path string, write bool) (buffers.Path, error) {
	p, inside, err := c.place(s, path)
	if err == nil && write && c.isOwn(p) {
		return "", Errorf(KindOutside, "%s is acp-ls's own: nobody else may write it", path)
	}
	if err != nil || inside {
		return p, err
	}
	verb, kind := "Read", "read"
	if write {
		verb, kind = "Write", "edit"
	}
	err = c.askFor(ctx, s, p, kind, verb+" a file outside of "+s.cwd, true)
	if err == errRefused {
		err = Errorf(KindOutside, "the user did not allow to %s %s, which is outside of %s", strings.ToLower(verb), path, s.cwd)
	}
	return p, err
}

// admitRead is admit for a file whose text the agent is to get. One that is likely
// to hold keys or passwords is asked about wherever it is, and whatever the rules
// allow.
func (c *Core) admitRead(ctx context.Context, s *session, path string) (buffers.Path, error) {
	p, inside, err := c.place(s, path)
	if err == nil && s.loose != "" && !s.reviews(p) {
		s.nameRead(ctx, p)
	}
	if err != nil || !secret(p) {
		if err == nil && !inside {
			return c.admit(ctx, s, path, false)
		}
		return p, err
	}
	return p, c.askSecret(ctx, s, p, path)
}

// place finds the file of a path, and whether it is one that nobody needs to be
// asked about for where it is.
func (c *Core) place(s *session, path string) (p buffers.Path, inside bool, err error) {
	if u, ok := buffers.URIPath(path); ok { // some agents send URIs
		path = u
	}
	if !filepath.IsAbs(path) {
		return "", false, Errorf(KindInvalid, "path %q is not absolute (ACP asks for absolute paths)", path)
	}
	p, err = buffers.Resolve(path)
	if err != nil {
		return "", false, Errorf(KindInvalid, "path %s: %w", path, err)
	}
	if inRoots(s.roots(), string(p)) {
		return p, true, nil
	}
	switch c.settings().Files.Outside {
	case config.OutsideAllow:
		return p, true, nil
	case config.OutsideDeny:
		return "", false, Errorf(KindOutside, "%s is outside the session's folder %s (setting files.outside)", path, s.cwd)
	}
	return p, false, nil
}

// errRefused says that the user, or a rule of theirs, did not allow it.
var errRefused = Errorf(KindOutside, "the user did not allow it")

// askFor asks whether an agent may have a file, unless a rule or, where always is
// offered, an earlier answer says it.
func (c *Core) askFor(ctx context.Context, s *session, p buffers.Path, kind, title string, always bool) error {
	call := callFor(p, kind, title)
	call.ID = c.newID("t")
	options := []PermissionOption{{OptionID: "allow", Name: "Allow", Kind: "allow_once"}}
	if always {
		options = append(options, PermissionOption{OptionID: "always", Name: "Allow for this session", Kind: "allow_always"})
	}
	options = append(options, PermissionOption{OptionID: "reject", Name: "Reject", Kind: "reject_once"})
	o, decided := c.ruled(s, s.requestOf(call, nil), options)
	if !decided && always {
		o.OptionID, decided = c.broker.recall(s, call, options)
	}
	if !decided {
		var err error
		if o, err = c.broker.ask(ctx, s, call, options); err != nil {
			return err
		}
	}
	if o.OptionID != "allow" && o.OptionID != "always" {
		return errRefused
	}
	return nil
}

// callFor is the tool call by which it is asked whether an agent may have a file.
func callFor(p buffers.Path, kind, title string) ToolCall {
	return ToolCall{Kind: kind, Status: "pending", Title: title, Locations: []Location{{Path: string(p)}}}
}

// askSensitive asks before a file is written that could run programs or hold
// secrets, whatever the rules allow.
func (c *Core) askSensitive(ctx context.Context, s *session, p buffers.Path) error {
	err := c.askFor(ctx, s, p, "edit", "Write a file that programs trust", false)
	if err == errRefused {
		err = Errorf(KindOutside, "the user did not allow to write %s", p)
	}
	return err
}

func inRoots(roots []string, path string) bool {
	return slices.ContainsFunc(roots, func(root string) bool {
		if len(path) > len(root) && path[:len(root)] == root && path[len(root)] == filepath.Separator && filepath.Clean(path) == path {
			return true // as nearly always
		}
		rel, err := filepath.Rel(root, path)
		return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
	})
}
