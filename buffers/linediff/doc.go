// Package linediff says how one text became another: which rows of the old one were
// replaced by which rows of the new one, and, inside a row, which words or characters.
//
// A row is a line without its terminator. A text with n terminators has n+1 rows ([Split]),
// so a final line end shows as a last row that is empty. All positions are 0-based and all
// ranges half-open; inside a row they count bytes of UTF-8.
//
// The results serve three readers with different wants. A merge wants edits that are exact
// and do not touch each other ([Diff]). A reviewer wants few blocks that begin and end where
// a human would cut, so edits are slid along equal rows to indentation boundaries, and
// [Coalesce] joins those that are parted by nothing but blank or brace-only rows. An agent or
// a hover wants text ([Unified]).
//
// Everything here is a pure function: the same input gives the same output in every process
// of one build. The output may change with the diff library, so nothing may be stored that
// needs tomorrow's edits to be today's.
//
// Nothing here can be cancelled, so nothing may take long. Three guards see to that, each
// decided before the work starts: see [Diff], [Words] and [Chars].
package linediff
