package review

import "slices"

// CopyAs returns the state for a second file with the same text: what is pending here is
// pending there too, and decided there by itself. fresh names its changes, for two files
// never share one. Conflicts, proposals and rejected hunks stay with the first file.
func (d *Doc) CopyAs(fresh func() ChangeID) *Doc {
	c := d.Clone()
	c.settled()
	names := map[ChangeID]ChangeID{}
	c.origins = slices.Clone(c.origins)
	for i := range c.origins[1:] {
		o := &c.origins[i+1]
		if names[o.Change] == "" {
			names[o.Change] = fresh()
		}
		o.Change = names[o.Change]
	}
	c.rejected, c.conflicts, c.proposed, c.copied = nil, nil, nil, nil
	c.early, c.memory, c.decided, c.memCost = nil, nil, nil, 0
	c.rev++
	c.listed = nil
	c.tidy()
	if c.Tracking() {
		c.remember()
	} else {
		c.noteEarly()
	}
	return c
}
