package wire

// Methods we call.
const (
	MethodInitialize      = "initialize"
	MethodAuthenticate    = "authenticate"
	MethodLogout          = "logout"
	MethodNewSession      = "session/new"
	MethodLoadSession     = "session/load"
	MethodResumeSession   = "session/resume"
	MethodForkSession     = "session/fork"
	MethodListSessions    = "session/list"
	MethodCloseSession    = "session/close"
	MethodDeleteSession   = "session/delete"
	MethodPrompt          = "session/prompt"
	MethodSetMode         = "session/set_mode"
	MethodSetConfigOption = "session/set_config_option"
	MethodCancel          = "session/cancel" // a notification
)

// Methods agents call.
const (
	MethodUpdate              = "session/update" // a notification
	MethodRequestPermission   = "session/request_permission"
	MethodReadTextFile        = "fs/read_text_file"
	MethodWriteTextFile       = "fs/write_text_file"
	MethodTerminalCreate      = "terminal/create"
	MethodTerminalOutput      = "terminal/output"
	MethodTerminalWaitForExit = "terminal/wait_for_exit"
	MethodTerminalKill        = "terminal/kill"
	MethodTerminalRelease     = "terminal/release"
	MethodElicitationCreate   = "elicitation/create"
	MethodElicitationComplete = "elicitation/complete" // a notification
)

// MethodCancelRequest is a notification in both directions: whoever sent a
// request wants it no more. It is answered all the same.
const MethodCancelRequest = "$/cancel_request"

// methodNames spares the reader a copy of each method's name.
var methodNames = func() map[string]string {
	names := make(map[string]string)
	for _, m := range []string{
		MethodUpdate, MethodRequestPermission, MethodReadTextFile, MethodWriteTextFile,
		MethodTerminalCreate, MethodTerminalOutput, MethodTerminalWaitForExit, MethodTerminalKill,
		MethodTerminalRelease, MethodElicitationCreate, MethodElicitationComplete, MethodCancelRequest,
	} {
		names[m] = m
	}
	return names
}()
