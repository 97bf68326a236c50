// Package archtest has no code: its tests pin the architecture. They fail when
// a package imports what it must not know, when the program grows a dependency
// nobody decided on, and when it grows too large to be shipped beside an
// editor. To change one of these, change the tables in the tests, so that the
// change is seen for what it is.
package archtest
