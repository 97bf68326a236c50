// Package scriptagent is an agent for tests that does what a test tells it, and
// a real process all the same: acp-ls starts it by its command, speaks with it
// over its standard input and output, and sees it crash, hang and leave.
//
// The process ([Main]) knows nothing of ACP. It passes on what it reads, line by
// line, over a socket to the test that drives it, and writes what the test sends,
// byte for byte: messages, noise, or nothing at all. The test's end ([Server] and
// [Agent]) speaks the protocol. It shares no code with what it tests.
//
// A test binary becomes the agent by calling Main when it was started as one:
//
//	func TestMain(m *testing.M) {
//		if scriptagent.Started() {
//			os.Exit(scriptagent.Main())
//		}
//		...
//	}
package scriptagent
