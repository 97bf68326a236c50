// Package merge joins two changes of one text: ours, what the user has in front of them, and
// theirs, what an agent or another program made of the same base.
//
// Both sides are compared with the base row by row. Changes of one side that keep clear of
// all changes of the other side, by one unchanged row at least, are both taken. Changes that
// overlap or touch are a conflict, unless both sides made the same of the same rows. This is
// git's rule; where all rows are distinct, the result is git's too. Where rows repeat there
// is more than one way to say what changed, and then it is only promised that
//   - each row that ours has and base has not is in the result, in ours' order;
//   - a row that ours has is missing from the result only if theirs deleted it from the base;
//   - a merge with an unchanged side is the other side;
//   - which side is called ours makes no difference, but for who is kept in a conflict.
//
// A conflict keeps ours, in the text and in each number reported, so that a merge whose
// conflicts nobody looks at has lost nothing of the user's. It is as small as what theirs
// changed: changes of ours that only touch that stay beside it, so that nothing of them is
// lost where theirs is taken after all. So there may be several conflicts where git has one,
// and not as many the other way round; but there is one where git has one.
//
// [Merge] takes rows, [Texts] whole texts with their line ends. Both are pure functions.
package merge
