// Package config reads the settings of acp-ls.
//
// Settings come in layers, each laid over the one before, key by key: the
// defaults, the user's file (acp-ls/config.json in the user's configuration
// directory, JSON with comments and trailing commas), and what the editor
// sends. Objects are merged, anything else is replaced.
//
// Nothing a user writes stops acp-ls. A value that is wrong leaves what was
// below it and is reported with its key; a key that is unknown is a warning,
// since it may be the word of a newer version. null means not set.
//
// Some keys decide what agents may do on the user's machine. They belong to the
// user: in a layer that a workspace can influence they are reported and left
// out ([Layer].Workspace). acp-ls itself reads no file of a workspace.
package config
