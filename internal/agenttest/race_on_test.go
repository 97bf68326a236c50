//go:build race

package agenttest

// raceEnabled: acp-ls is built with the race detector when the tests are.
const raceEnabled = true
