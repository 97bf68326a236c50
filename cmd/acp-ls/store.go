package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"acp-ls/internal/review/journal"
	"acp-ls/internal/session"
)

// openJournal opens the journal of a workspace in the user's state directory.
func openJournal(workspace string) (session.Journal, error) {
	state, err := journal.StateDir()
	if err != nil {
		return nil, err
	}
	if err := journal.CheckPlace(state, workspace); err != nil {
		return nil, err
	}
	return journal.Open(state, workspace, journal.Options{Editor: journal.Parent()}), nil
}

func listStored(p *program) error {
	state, err := journal.StateDir()
	if err != nil {
		return err
	}
	list, err := journal.List(state)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(p.stdout, "nothing is stored in", filepath.Join(state, "journal"))
		return err
	}
	for _, s := range list {
		fmt.Fprintln(p.stdout, title(s))
		for _, r := range s.Files {
			what := fmt.Sprintf("%d undecided", r.Pending)
			if r.Pending == 0 {
				what = "nothing undecided in the text"
			}
			path := r.Path
			if of, ok := r.AcceptedIn(); ok {
				path, what = of, "what was accepted can be undone"
			}
			fmt.Fprintf(p.stdout, "  %s: %s, %s\n", path, what, r.Time.Local().Format(time.DateTime))
		}
	}
	return nil
}

func title(s journal.Stored) string {
	var notes []string
	switch {
	case s.Aside:
		notes = append(notes, "set aside: it could not be read")
	case s.Err != nil:
		notes = append(notes, s.Err.Error())
	case s.Live:
		notes = append(notes, "in use")
	}
	name := s.Workspace
	if name == "" {
		name = "no workspace"
	}
	notes = append(notes, fmt.Sprintf("%d bytes", s.Size), s.File)
	return name + " (" + strings.Join(notes, ", ") + ")"
}

type storePurgeCmd struct{ All bool }

func (c *storePurgeCmd) run(p *program) error {
	state, err := journal.StateDir()
	if err != nil {
		return err
	}
	removed, err := journal.Purge(state, c.All, journal.MaxAge, time.Now())
	for _, s := range removed {
		fmt.Fprintln(p.stdout, "removed", title(s))
	}
	if err == nil && len(removed) == 0 {
		_, err = fmt.Fprintln(p.stdout, "nothing to remove")
	}
	return err
}
