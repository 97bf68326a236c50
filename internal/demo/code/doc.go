// Package code looks at program text and changes it, as far as that can be done
// without knowing what the program means.
//
// Every function is pure: text in, [Edit]s or facts out. What it cannot be sure
// of it leaves alone and says so. Go is parsed; other languages are cut into
// code, comments and strings by a table of their delimiters, which is right for
// all but a few corners (regular expressions and nested templates in
// JavaScript, for one).
//
// Lines are 1-based, offsets are bytes.
package code
