package nvim_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// Conflicts by the keys: undo opens what theirs or both has settled and redo settles it; mine is
// tied to no undo; to accept all leaves them open, to reject all takes mine.
func TestConflictStory(t *testing.T) {
	archive := txtar.Parse([]byte(`
open a.txt
type 2 my_
type 6 my_
agent disk a.txt new
hunks 3
text merged

press 2Gghb
text both
hunks 2
undo
text merged
hunks 3
redo
text both
hunks 2
undo
text merged
hunks 3

# What is undone next is the agent's other change, and not the decision.
press 2Gghm
hunks 2
undo
text typed
hunks 1
redo
text merged
hunks 2
press ghu
hunks 3

press ggVGgha
screen 2 hunks not accepted: you have changed the same place
hunks 2
text merged
press :Acp accept-all<CR>
screen 2 conflicts are left: take mine, theirs or both
hunks 2

press 2Ggha
text theirs
hunks 1
undo
text merged
hunks 2
redo
text theirs
hunks 1

press 6Gghr
hunks 0
press ghu
hunks 1
press :Acp reject-all<CR>
hunks 0
text theirs
save
-- a.txt --
one
two
three
four
five
six
seven
-- agent/new --
one
TWO
three
FOUR
five
SIX
seven
-- text/typed --
one
my_two
three
four
five
my_six
seven
-- text/merged --
one
my_two
three
FOUR
five
my_six
seven
-- text/both --
one
my_two
TWO
three
FOUR
five
my_six
seven
-- text/theirs --
one
TWO
three
FOUR
five
my_six
seven
-- after/a.txt --
one
TWO
three
FOUR
five
my_six
seven
`))
	eachVersion(t, func(t *testing.T, version string) {
		newStory(t, version, archive).play(string(archive.Comment))
	})
}

// What is typed in one of the rows that an agent has rewritten stays when they are rejected.
func TestWordsInRewrittenRows(t *testing.T) {
	archive := txtar.Parse([]byte(`
open d.go
agent read d.go
agent write d.go new
hunks 1
press 3GA // my words<Esc>
screen with your changes
text typed
press 3Gghr
text rejected
hunks 0
undo
text typed
hunks 1
redo
text rejected
hunks 0
undo
text typed
hunks 1
screen with your changes
press 3Gghr
text rejected
hunks 0
press ghu
text typed
hunks 1
press :Acp reject-all<CR>
text rejected
save
-- d.go --
package d

func Hello(name string) string {
	return "Hello, " + name
}
-- agent/new --
package d

func Greet(name string) string {
	return "x" + name
}
-- text/typed --
package d

func Greet(name string) string { // my words
	return "x" + name
}
-- text/rejected --
package d

func Hello(name string) string { // my words
	return "Hello, " + name
}
-- after/d.go --
package d

func Hello(name string) string { // my words
	return "Hello, " + name
}
`))
	eachVersion(t, func(t *testing.T, version string) {
		newStory(t, version, archive).play(string(archive.Comment))
	})
}
