package session

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/internal/policy"
)

// What a file that may hold secrets has in it goes to an agent in two cases only: the user says
// so each time, by the answer to a question or by pointing at that very file in a prompt; or has
// said so for the session. All else that goes to agents, unasked or of several files, asks
// [session.tells] or [session.tellsDocument], and names the file without its text.

const secretTitle = "Read a file that may hold secrets"

func secret(p buffers.Path) bool { return policy.Secret(string(p)) }

// tells reports whether what a file holds may go to the session's agent without a word of the
// user's. That they have once let it be read is no such word.
func (s *session) tells(p buffers.Path) bool {
	return !secret(p) || s.core.broker.allowed(s, callFor(p, "read", secretTitle))
}

// askSecret asks whether the agent may have the text of a file that may hold secrets, which it calls
// named.
func (c *Core) askSecret(ctx context.Context, s *session, p buffers.Path, named string) error {
	err := c.askFor(ctx, s, p, "read", secretTitle, true)
	if err == errRefused {
		err = Errorf(KindOutside, "the user did not allow to read %s, which may hold secrets; go on without it", named)
	}
	return err
}

// tellsDocument is tells for an open document.
func (s *session) tellsDocument(d *buffers.Document) bool { return s.tells(fileNameOf(d)) }

// fileNameOf is the file of a document; of one that is in no file, what its URI calls it: it may be an
// older text of that file, or become it.
func fileNameOf(d *buffers.Document) buffers.Path {
	if p := d.Path(); p != "" {
		return p
	}
	u, err := url.Parse(d.URI)
	if err != nil {
		return buffers.Path(d.URI)
	}
	if u.Path == "" {
		if name, err := url.PathUnescape(u.Opaque); err == nil {
			return buffers.Path(name)
		}
		return buffers.Path(u.Opaque)
	}
	return buffers.Path(u.Path)
}

// admitDocument is admitRead for an open document that is in no file.
func (s *session) admitDocument(ctx context.Context, d *buffers.Document) error {
	if p := fileNameOf(d); secret(p) {
		return s.core.askSecret(ctx, s, p, d.URI)
	}
	return nil
}

// withhold notes that a file goes along with a prompt by its name only.
func (r *resolver) withhold(name string) {
	if !slices.Contains(r.withheld, name) {
		r.withheld = append(r.withheld, name)
	}
}

// withheldNotes say so to the user and to the agent; empty: nothing is withheld.
func (r *resolver) withheldNotes() (users, agents string) {
	if len(r.withheld) == 0 {
		return "", ""
	}
	names := strings.Join(r.withheld, ", ")
	return names + " went along by name only, as what it holds may be secret. Mention a file by its own name (@" + r.withheld[0] + ") to give the agent its text.",
		"Named only, as they may hold secrets: " + names + ". Read them with the client's file reading if you need what they hold: the user will be asked."
}
