// Package mention finds what a prompt's text points at and makes the content
// blocks of the prompt. It is pure: what a mention stands for is the word of a
// [Resolver].
//
//	look at @main.go#L10-L20 and @"my notes.md", then fix @selection
//
// A mention starts with @ at the beginning of a word. It is a path, relative or
// absolute, in quotes if it has spaces, with lines behind it if it is not the
// whole file (1-based, the last included), or one of the words selection,
// buffer, open and diff. A mention that names nothing is text, as are e-mail
// addresses, decorators and package scopes; no syntax can tell @Override from a
// file, so the resolver does. Words that name nothing are told of, because who
// writes one means something. What stands in a fenced code block is code.
//
// The text itself goes to the agent as it was typed: the mention is how the
// user calls the thing, and the blocks behind the text say what it is.
package mention
